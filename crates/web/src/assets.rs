//! The files of the page, which are part of the program.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use alfil_core::checksum::checksum;

use crate::error::ApiError;

/// The page, which is the same at every address: its scripts look at the address.
const PAGE: &str = "index.html";

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../assets/", $name)))),*]
    };
}

/// The name and the contents of every file.
const FILES: &[(&str, &str)] = files![
    "index.html"
    "style.css"
    "app.js"
    "api.js"
    "dom.js"
    "board.js"
    "pieces.js"
    "chart.js"
    "home.js"
    "play.js"
    "game.js"
    "analyse.js"
    "runs.js"
    "live.js"
    "contests.js"
    "replay.js"
    "icon.svg"
];

pub async fn page(headers: HeaderMap) -> Response {
    answer(PAGE, &headers)
}

pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    answer(&name, &headers)
}

fn answer(name: &str, headers: &HeaderMap) -> Response {
    let Some((name, text)) = FILES.iter().find(|(known, _)| *known == name) else {
        return ApiError::missing("there is no such file").into_response();
    };
    let text = current(name, text);
    // Browsers keep files and ask every time whether they are still the same.
    let tag = format!("\"{:016x}\"", checksum(text.as_bytes()));
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response();
    }
    let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => "image/svg+xml",
    };
    let headers = [(header::CONTENT_TYPE, kind.to_owned()), (header::ETAG, tag), cache()];
    (headers, text).into_response()
}

fn cache() -> (header::HeaderName, String) {
    (header::CACHE_CONTROL, "no-cache".to_owned())
}

/// While the page is being worked on, its files are read from the source: a change needs no compiler.
#[cfg(debug_assertions)]
fn current(name: &str, text: &'static str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
    alfil_core::disk::read_text(&path, 1 << 20).unwrap_or_else(|_| text.to_owned())
}

#[cfg(not(debug_assertions))]
fn current(_: &str, text: &'static str) -> &'static str {
    text
}
