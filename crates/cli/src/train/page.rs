//! The page of a run while it goes on.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::JoinHandle;

use alfil_train::RunDirectory;
use alfil_web::{Server, WebError, WebSettings};
use anyhow::Context;

use super::DATA;

/// The page, which is there as long as this lives.
pub struct Page {
    address: String,
    stop: Arc<AtomicBool>,
    serving: Option<JoinHandle<Result<(), WebError>>>,
}

impl Page {
    /// Serves the page on this machine. It shows the other runs of the folder as well.
    pub fn open(directory: &RunDirectory, port: u16) -> anyhow::Result<Page> {
        let path = directory.path();
        let (folder, name) = path.parent().zip(path.file_name()).context("the run's folder has no name")?;
        let usual = WebSettings::local(port, Path::new(DATA));
        let settings = WebSettings { runs: folder.to_owned(), ..usual };
        let server = Server::bind(settings)?;
        let address = format!("{}runs/{}", server.page(), name.to_string_lossy());
        let stop = Arc::new(AtomicBool::new(false));
        let serving = {
            let stop = Arc::clone(&stop);
            let serve = move || server.run(&stop).inspect_err(|why| tracing::error!(%why, "the page has ended"));
            std::thread::Builder::new().name("web".to_owned()).spawn(serve).context("cannot serve the page")?
        };
        Ok(Page { address, stop, serving: Some(serving) })
    }

    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.stop.store(true, SeqCst);
        if let Some(serving) = self.serving.take() {
            let _ = serving.join();
        }
    }
}
