//! Finds libhkpd: in the folder HKPD_LIB_DIR, or where pkg-config finds it, or where the linker looks anyway.

use std::{env, process::Command};

fn main() {
    for variable in ["HKPD_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-lib=dylib=hkpd");
    if let Ok(folder) = env::var("HKPD_LIB_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
        return;
    }
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_string());
    match Command::new(&program).args(["--libs-only-L", "hkpd"]).output() {
        Ok(output) if output.status.success() => {
            for folder in String::from_utf8_lossy(&output.stdout).split_whitespace() {
                println!("cargo:rustc-link-search=native={}", folder.trim_start_matches("-L"));
            }
        }
        _ => println!("cargo:warning={program} does not find hkpd: install libhkpd-dev, or set HKPD_LIB_DIR"),
    }
}
