// Does the model fit?  rustc fit.rs -L native=LIBDIR -l gpuplan
use std::ffi::{CStr, CString};
use std::os::raw::c_char;

extern "C" {
    fn gpuplan_answer(request: *const c_char) -> *mut c_char;
    fn gpuplan_free(answer: *mut c_char);
    fn gpuplan_version() -> *const c_char;
}

/// The answer to a request, both JSON; None if there is no memory for it.
fn answer(request: &str) -> Option<String> {
    let request = CString::new(request).expect("a request without a byte 0");
    unsafe {
        let text = gpuplan_answer(request.as_ptr());
        if text.is_null() {
            return None;
        }
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        gpuplan_free(text);
        Some(copy)
    }
}

fn main() {
    let version = unsafe { CStr::from_ptr(gpuplan_version()) };
    eprintln!("gpuplan {}", version.to_string_lossy());
    let model = std::env::args().nth(1).unwrap_or("llama-3-8b".into());
    let request = format!(
        r#"{{"question": "fit", "model": "{model}", "cluster": {{"gpu": "H100", "gpus": 8}},
            "recipe": {{"zero": 3}}, "parallelism": {{"data": 8}}}}"#
    );
    match answer(&request) {
        Some(text) if text.contains("\"error\"") => {
            eprint!("{text}");
            std::process::exit(2);
        }
        Some(text) => println!("{model} fits: {}", text.contains("\"fits\": true")),
        None => std::process::exit(1),
    }
}
