"""Reads a run file as others will: plain h5py and the HDF5 tools. Prints what is wrong; exit code 1 if anything is."""
import json
import subprocess
import sys

import h5py

path = sys.argv[1]
faults = []


def expect(holds, text):
    if not holds:
        faults.append(text)


def visit(name, item):
    if isinstance(item, h5py.Dataset):
        for attribute in ("units", "long_name", "description"):
            expect(attribute in item.attrs, f"{name} has no {attribute}")
    for attribute in item.attrs:
        kind = item.attrs.get_id(attribute).get_type()
        expect(not (isinstance(kind, h5py.h5t.TypeStringID) and kind.is_variable_str()), f"{name}@{attribute} is variable")


with h5py.File(path) as f:
    visit("/", f)
    f.visititems(visit)
    expect(set(f) == {"config", "acquisition", "adaptation", "timing", "events", "analysis"}, f"groups: {list(f)}")
    for attribute in ("format", "version", "software_version", "started_at", "host", "kernel", "operator", "title", "uuid",
                      "rate_hz", "realtime", "complete", "valid", "stop_reason"):
        expect(attribute in f.attrs, f"/ has no {attribute}")
    project = json.loads(f["config/project"][()])
    expect(project["meta"]["title"] == "f\u00fcr drei Massen", "project came back changed")
    rows = {len(d) for g in ("acquisition", "timing") for d in f[g].values()}
    expect(len(rows) == 1, f"row counts differ: {rows}")
    expect(f["acquisition/flags"].attrs["flag_masks"].tolist() == [1, 2, 4, 8, 16, 32, 64, 128], "flag_masks")
    expect([s.decode() for s in f["acquisition"].attrs["axes"]] == ["time"], "axes must be a list")
    for data in f["acquisition"].values():
        expect(data.chunks == (1024,) and data.compression is None, f"{data.name}: chunks {data.chunks}")

head = subprocess.run(["h5dump", "-B", "-H", path], capture_output=True, text=True)
expect(head.returncode == 0 and "SUPERBLOCK_VERSION 3" in head.stdout, "h5dump: superblock 3 expected")
expect(subprocess.run(["h5ls", "-rv", path], capture_output=True).returncode == 0, "h5ls cannot list it")

print("\n".join(faults))
sys.exit(1 if faults else 0)
