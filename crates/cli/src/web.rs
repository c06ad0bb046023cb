//! `alfil web`

use std::io::Write;
use std::net::IpAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use alfil_web::{Server, WebSettings};
use anyhow::Context;
use clap::Args;

use crate::train::DATA;
use crate::{Verdict, stop, terminal};

#[derive(Args)]
pub struct WebCommand {
    /// The port of the page; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 8642)]
    port: u16,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// The address of this machine to listen at; one that other machines reach, such as 0.0.0.0, needs --token
    #[arg(long, value_name = "A", default_value = "127.0.0.1")]
    address: IpAddr,
    /// What everybody who opens the page has to know
    #[arg(long, value_name = "TEXT")]
    token: Option<String>,
    /// A name by which other machines reach this one, besides its address, without a port; goes with --token. Several are possible
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Let the page stop runs and resume them
    #[arg(long)]
    control: bool,
}

pub fn run(command: WebCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let WebCommand { port, open, address, token, host, control } = command;
    let program = control.then(std::env::current_exe).transpose().context("cannot find this program")?;
    let usual = WebSettings::local(port, Path::new(DATA));
    let settings = WebSettings { address: (address, port).into(), token, hosts: host, control: program, ..usual };
    let server = Server::bind(settings)?;
    let page = server.page();
    writeln!(out, "the page is {page} (ctrl-C ends it)")?;
    if !address.is_loopback() {
        writeln!(
            out,
            "other machines open the same with this machine's address, or with a name that was given as --host, in its place; \
             everybody who knows the token can use this machine's processors and see{} its runs, and everybody who can \
             read the network's traffic can read the token",
            if control { ", stop and resume" } else { "" }
        )?;
    }
    out.flush()?;
    if open && let Err(why) = open_browser(&page) {
        terminal::say(&format!("cannot open the browser: {why}"));
    }
    server.run(&*stop::flag()?)?;
    Ok(Verdict::Fine)
}

/// Opens an address with whatever program the system has for it.
fn open_browser(page: &str) -> std::io::Result<()> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = || Stdio::null();
    Command::new(program).arg(page).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().map(drop)
}
