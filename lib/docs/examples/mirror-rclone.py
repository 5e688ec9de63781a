#!/usr/bin/env python3
"""A connector for what rclone reads: drives, object stores, servers (https://rclone.org).

The operator names the configuration and the remote: "handbook=/usr/bin/python3 mirror-rclone.py /etc/rclone.conf
drive:team". A configuration can start programs and read every file of this account. So approvers never write one: they
choose a folder below the remote alone. Settings: {"folder": "handbook"}, or {} for all. There is no secret.
It answers one line after the other, so it needs no threads. Each file costs two starts of rclone.
"""
import base64, json, subprocess, sys, tempfile

running, (config, root), folder = {}, sys.argv[1:], ""


def place_of(path):
    separator = "" if root.endswith((":", "/")) or path == "" else "/"
    return f"{root}{separator}{path}"


def is_below(path):
    return path == "" or not any(segment in ("", ".", "..") for segment in path.split("/"))


class Rclone:
    def __init__(self, *arguments):
        self.errors = tempfile.TemporaryFile()
        command = ["rclone", "--config", config, *arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors
        )
        self.output = self.process.stdout

    def fault(self):
        self.errors.seek(0)
        message = self.errors.read()[-500:].decode(errors="replace").strip().splitlines()[-1:]
        kind = "not_found" if "not found" in str(message) else "network"
        return {"type": "fault", "fault": kind, "message": f"rclone says: {message[0] if message else 'nothing'}"}

    def load(self):
        text = self.output.read()
        return json.loads(text) if self.process.wait() == 0 else None


def version_of(item):
    return f"{item['Size']} {item['ModTime']}"


def list_files():
    rclone = Rclone("lsjson", "--recursive", "--files-only", "--", place_of(folder))
    items = rclone.load()
    if items is None:
        yield rclone.fault()
        return
    entries = [{"type": "file", "path": item["Path"], "version": version_of(item)} for item in items]
    for at in range(0, len(entries), 200):
        yield {"type": "entries", "entries": entries[at : at + 200]}
    yield {"type": "listed", "cursor": None, "version": None}


def read_file(file):
    place, size = place_of(f"{folder}/{file['path']}" if folder else file["path"]), 0
    rclone = Rclone("cat", "--", place)
    try:
        while piece := rclone.output.read(150_000):
            size += len(piece)
            yield {"type": "content", "base64": base64.b64encode(piece).decode()}
        item = Rclone("lsjson", "--stat", "--", place).load() if rclone.process.wait() == 0 else None
        if item is not None and version_of(item) == file["version"]:
            yield {"type": "complete", "size": size}
        else:
            yield {"type": "unreadable", "reason": "unreadable", "detail": "it changed, or cannot be read"}
    finally:
        rclone.process.kill()


def answer(kind, id, asked):
    global folder
    if kind == "hello":
        folder = asked["settings"].get("folder", "")
        if not isinstance(folder, str) or not is_below(folder):
            return {"type": "fault", "fault": "not_found", "message": "No folder can have this path. Correct it."}
        return {"type": "ready", "protocol": 1, "name": "mirror-rclone"}
    if kind == "check":
        rclone = Rclone("lsjson", "--", place_of(folder))
        found = rclone.load()
        return rclone.fault() if found is None else {"type": "checked", "found": f"rclone finds {len(found)} entries."}
    if kind == "list":
        running[id] = list_files()
        return {"type": "listing", "mode": "snapshot"}
    if kind == "read":
        running[id] = read_file(asked["file"])
    if kind == "next" and id in running:
        message = next(running[id])
        if message["type"] not in ("entries", "content"):
            running.pop(id).close()
        return message
    if kind == "cancel" and id in running:
        running.pop(id).close()
        return {"type": "cancelled"}


for line in sys.stdin:
    asked = json.loads(line)
    message = answer(asked["type"], asked.get("id"), asked)
    if message is not None:
        print(json.dumps(message if "id" not in asked else {**message, "id": asked["id"]}), flush=True)
