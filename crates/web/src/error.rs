//! What is said to a request that cannot be answered.

use alfil_core::svg::escape;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Bytes that a request may bring.
pub const LARGEST_BODY: usize = 256 << 10;

/// A status and one sentence, which the page shows as it is.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}")]
pub struct ApiError {
    status: StatusCode,
    sentence: String,
}

impl ApiError {
    fn new(status: StatusCode, sentence: impl ToString) -> ApiError {
        ApiError { status, sentence: sentence.to_string() }
    }

    /// The request itself is wrong.
    pub fn wrong(sentence: impl ToString) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, sentence)
    }

    /// There is no such thing.
    pub fn missing(sentence: impl ToString) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, sentence)
    }

    /// Possible, but not now: somebody else was faster, or the game is over.
    pub fn conflict(sentence: impl ToString) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, sentence)
    }

    /// A limit is reached.
    pub fn busy(sentence: impl ToString) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, sentence)
    }

    /// The guard refuses.
    pub fn forbidden(sentence: impl ToString) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, sentence)
    }

    /// The token is missing or wrong.
    pub fn unauthorized(sentence: impl ToString) -> ApiError {
        ApiError::new(StatusCode::UNAUTHORIZED, sentence)
    }

    /// Something on this side failed.
    pub fn failed(sentence: impl ToString) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, sentence)
    }

    /// The request took too long.
    pub fn late() -> ApiError {
        ApiError::new(StatusCode::REQUEST_TIMEOUT, "the request took too long")
    }
}

/// What an error says, beside its answer.
#[derive(Clone)]
struct Sentence(String);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = serde_json::json!({ "error": self.sentence }).to_string();
        let mut answer = (self.status, [(header::CONTENT_TYPE, JSON)], body).into_response();
        answer.extensions_mut().insert(Sentence(self.sentence));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            // Whoever asks for more than there is does not keep a connection from others as well.
            answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        answer
    }
}

const JSON: &str = "application/json";

/// The same answer, or in its place a sentence, if it is an error that was found before our code saw the request.
pub fn in_a_sentence(answer: Response) -> Response {
    let status = answer.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let kind = answer.headers().get(header::CONTENT_TYPE);
    if !is_error || kind.is_some_and(|kind| kind.as_bytes() == JSON.as_bytes()) {
        return answer;
    }
    let sentence = match status {
        StatusCode::PAYLOAD_TOO_LARGE => format!("a request has at most {} KiB", LARGEST_BODY >> 10),
        StatusCode::METHOD_NOT_ALLOWED => "this address is asked in another way".to_owned(),
        _ => status.canonical_reason().unwrap_or("the request is wrong").to_lowercase(),
    };
    ApiError { status, sentence }.into_response()
}

/// An error as a page for people; any other answer as it is.
pub fn as_page(answer: Response) -> Response {
    let Some(Sentence(sentence)) = answer.extensions().get() else { return answer };
    let title = answer.status().canonical_reason().unwrap_or("Error");
    let text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} – Alfil</title>\n\
         <link rel=\"stylesheet\" href=\"/assets/style.css\">\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p>{}.</p>\n\
         <p><a href=\"/\">To the games</a></p>\n</main>\n</body>\n</html>\n",
        escape(&capitalised(sentence))
    );
    (answer.status(), [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
