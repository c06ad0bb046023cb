//! Serves the page without the rest of the program: `cargo run -p alfil-web --example page -- PORT DATA`.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use alfil_web::{Server, WebSettings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let port: u16 = arguments.next().unwrap_or_default().parse().unwrap_or(8000);
    let data = PathBuf::from(arguments.next().unwrap_or("data".to_owned()));
    let server = Server::bind(WebSettings::local(port, &data))?;
    println!("{}", server.page());
    Ok(server.run(&AtomicBool::new(false))?)
}
