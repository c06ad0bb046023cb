//! A browser, driven through the WebDriver protocol.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::request;

const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How long anything on a page may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser that ends with its test.
pub struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
    profile: PathBuf,
    base: String,
}

impl Browser {
    /// A browser whose pages are at `base`; none, with a line that says so, where it is not installed.
    pub fn start(test: &str, base: SocketAddr) -> Option<Browser> {
        let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
        let chromium = chromium.into_iter().find(|path| std::path::Path::new(path).is_file());
        let driver = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let (Some(chromium), Ok(mut driver)) = (chromium, driver) else {
            alfil_skipped::skip(test, "chromium with chromium-driver");
            return None;
        };
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.by_ref().find_map(|line| {
            line.unwrap().rsplit_once("started successfully on port ")?.1.trim_end_matches('.').parse::<u16>().ok()
        });
        // The driver would wait for a reader of what else it says.
        std::thread::spawn(move || lines.for_each(drop));
        let address = ([127, 0, 0, 1], port.unwrap()).into();
        let profile = std::env::temp_dir().join(format!("alfil-browser-{}-{test}", std::process::id()));
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1280,900",
            &format!("--user-data-dir={}", profile.display()),
        ];
        let options = json!({
            "goog:chromeOptions": { "binary": chromium, "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        });
        let mut browser = Browser { driver, address, session: String::new(), profile, base: format!("http://{base}") };
        let session = browser.call("POST", "/session", &json!({ "capabilities": { "alwaysMatch": options } }));
        browser.session = format!("/session/{}", session["sessionId"].as_str().unwrap());
        Some(browser)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        self.try_call(method, path, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    fn try_call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let path = format!("{}{path}", self.session);
        let answer = request(self.address, method, &path, &[("content-type", "application/json")], &body);
        let value = answer.json()["value"].clone();
        if answer.status == 200 { Ok(value) } else { Err(value["message"].to_string()) }
    }

    pub fn go(&self, path: &str) {
        self.call("POST", "/url", &json!({ "url": format!("{}{path}", self.base) }));
    }

    pub fn run(&self, script: &str) -> Value {
        self.call("POST", "/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until a script returns something that is not null, false, 0 or empty.
    pub fn wait(&self, script: &str) -> Value {
        let began = Instant::now();
        loop {
            let value = self.run(script);
            if !matches!(&value, Value::Null | Value::Bool(false)) && value != json!(0) && value != json!("") {
                return value;
            }
            assert!(began.elapsed() < PATIENCE, "still waiting for: {script}\n{}", self.text("body"));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The text of an element.
    pub fn text(&self, selector: &str) -> String {
        self.run(&format!("return document.querySelector({})?.innerText ?? ''", json!(selector)))
            .as_str()
            .unwrap()
            .to_owned()
    }

    fn find(&self, selector: &str) -> Value {
        self.wait(&format!("return document.querySelector({}) !== null", json!(selector)));
        self.call("POST", "/element", &json!({ "using": "css selector", "value": selector }))[ELEMENT].clone()
    }

    /// Clicks an element with the mouse.
    pub fn click(&self, selector: &str) {
        let down_up = [json!({ "type": "pointerDown", "button": 0 }), json!({ "type": "pointerUp", "button": 0 })];
        self.point([vec![self.over(selector)], down_up.to_vec()].concat());
    }

    /// Drags from one element to another.
    pub fn drag(&self, from: &str, to: &str) {
        self.pull("mouse", from, to);
    }

    /// The same with a finger.
    pub fn swipe(&self, from: &str, to: &str) {
        self.pull("touch", from, to);
    }

    fn pull(&self, kind: &str, from: &str, to: &str) {
        let down = json!({ "type": "pointerDown", "button": 0 });
        let up = json!({ "type": "pointerUp", "button": 0 });
        self.point_with(kind, vec![self.over(from), down, self.over(to), up]);
    }

    /// Moves the mouse over an element.
    pub fn hover(&self, selector: &str) {
        self.point(vec![self.over(selector)]);
    }

    fn over(&self, selector: &str) -> Value {
        json!({ "type": "pointerMove", "duration": 20, "origin": { ELEMENT: self.find(selector) }, "x": 0, "y": 0 })
    }

    fn point(&self, actions: Vec<Value>) {
        self.point_with("mouse", actions);
    }

    fn point_with(&self, kind: &str, actions: Vec<Value>) {
        let pointer =
            json!({ "type": "pointer", "id": kind, "parameters": { "pointerType": kind }, "actions": actions });
        self.call("POST", "/actions", &json!({ "actions": [pointer] }));
    }

    /// Clicks the button with a text.
    pub fn press(&self, text: &str) {
        let mark = format!(
            "const found = [...document.querySelectorAll('button, a.button')].find(one => one.offsetParent && one.innerText.trim() === {}); \
             document.querySelectorAll('[data-test]').forEach(one => one.removeAttribute('data-test')); \
             found?.setAttribute('data-test', 'yes'); return Boolean(found) && !found.disabled",
            json!(text)
        );
        self.wait(&mark);
        self.click("[data-test]");
    }

    /// Types on whatever has the focus: text, or the codes of keys.
    pub fn keys(&self, keys: &[&str]) {
        let strokes =
            |key: &&str| [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })];
        let actions: Vec<Value> = keys.iter().flat_map(strokes).collect();
        self.call("POST", "/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }));
    }

    /// A phone of this width, in dark colours.
    pub fn become_phone(&self, width: u32) {
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": width, "height": 740, "deviceScaleFactor": 2, "mobile": true }),
        );
        self.devtools(
            "Emulation.setEmulatedMedia",
            &json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }),
        );
    }

    /// A screen of this width on a desk.
    pub fn become_desk(&self, width: u32) {
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false }),
        );
    }

    /// Runs a script before those of every page from now on.
    pub fn before_every_page(&self, script: &str) {
        self.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": script }));
    }

    fn devtools(&self, name: &str, of: &Value) {
        self.call("POST", "/goog/cdp/execute", &json!({ "cmd": name, "params": of }));
    }

    /// What has moved on the page since it was opened, as the browser measures it, and after how many milliseconds its first
    /// content was painted.
    pub fn settled(&self) -> (Vec<String>, f64) {
        let measured = self.run(
            "return new Promise(done => { const moved = []; \
             new PerformanceObserver(list => list.getEntries().filter(one => !one.hadRecentInput).forEach(one => moved.push( \
                 `${one.value}: ${one.sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.textContent).join(', ')}`))) \
             .observe({ type: 'layout-shift', buffered: true }); \
             const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0; \
             setTimeout(() => done([moved, painted]), 700); })",
        );
        (serde_json::from_value(measured[0].clone()).unwrap(), measured[1].as_f64().unwrap())
    }

    /// Fails if the page is wider than the screen.
    pub fn check_width(&self) {
        let [page, screen] =
            ["document.documentElement.scrollWidth", "innerWidth"].map(|width| self.run(&format!("return {width}")));
        assert!(page.as_u64() <= screen.as_u64(), "the page is {page} wide on a screen of {screen}");
    }

    /// Fails if a page has written an error, or has asked another host for anything.
    pub fn check(&self) {
        let log = |kind: &str| self.call("POST", "/se/log", &json!({ "type": kind }));
        let errors: Vec<Value> =
            log("browser").as_array().unwrap().iter().filter(|entry| entry["level"] == "SEVERE").cloned().collect();
        assert!(errors.is_empty(), "{errors:?}");
        let requests = log("performance");
        let urls: Vec<String> = requests
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|entry| serde_json::from_str::<Value>(entry["message"].as_str()?).ok())
            .filter(|entry| entry["message"]["method"] == "Network.requestWillBeSent")
            .map(|entry| entry["message"]["params"]["request"]["url"].as_str().unwrap().to_owned())
            .collect();
        assert!(!urls.is_empty());
        for url in urls {
            assert!(
                url.starts_with(&self.base) || ["data:", "chrome:"].iter().any(|own| url.starts_with(own)),
                "{url}"
            );
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.try_call("DELETE", "", &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
