//! Whether this machine runs on battery.

use std::fs;
use std::path::Path;

/// Where Linux lists batteries and mains (`Documentation/ABI/testing/sysfs-class-power`).
const POWER_SUPPLIES: &str = "/sys/class/power_supply";

/// Returns whether this machine is powered by its battery. False where that is not known: on Windows and macOS always.
#[must_use]
pub fn runs_on_battery() -> bool {
    discharges(Path::new(POWER_SUPPLIES))
}

/// Returns whether a battery of the machine discharges and no mains is connected. Batteries of devices, such as a mouse, do not count.
fn discharges(supplies: &Path) -> bool {
    let Ok(entries) = fs::read_dir(supplies) else { return false };
    let mut is_discharging = false;
    for entry in entries.flatten() {
        let read = |name: &str| fs::read_to_string(entry.path().join(name)).unwrap_or_default().trim().to_owned();
        if read("scope") == "Device" {
            continue;
        }
        match read("type").as_str() {
            "Battery" => is_discharging |= read("status") == "Discharging",
            // Mains, USB and wireless chargers.
            _ if read("online") == "1" => return false,
            _ => {}
        }
    }
    is_discharging
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supply(folder: &Path, name: &str, files: &[(&str, &str)]) {
        let supply = folder.join(name);
        fs::create_dir_all(&supply).unwrap();
        for (file, text) in files {
            fs::write(supply.join(file), format!("{text}\n")).unwrap();
        }
    }

    #[test]
    fn a_laptop_runs_on_battery_until_it_is_plugged_in() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!discharges(&folder.path().join("none")), "a machine without the folder");
        assert!(!discharges(folder.path()), "a machine without supplies");
        supply(folder.path(), "BAT0", &[("type", "Battery"), ("status", "Discharging")]);
        assert!(discharges(folder.path()));
        supply(folder.path(), "AC", &[("type", "Mains"), ("online", "0")]);
        assert!(discharges(folder.path()));
        supply(folder.path(), "AC", &[("type", "Mains"), ("online", "1")]);
        assert!(!discharges(folder.path()));
    }

    #[test]
    fn the_battery_of_a_mouse_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        supply(folder.path(), "hid", &[("type", "Battery"), ("status", "Discharging"), ("scope", "Device")]);
        assert!(!discharges(folder.path()));
    }
}
