"""Verifies an export of the audit log with Python 3.8 or later and the openssl program (3.0 or later), nothing else.

Usage: python3 verify_audit.py EXPORT PUBLIC-KEY.pem ["SEQ HASH" of a head that was noted] [COMMIT of an expected restart]
"""
import base64, hashlib, hmac, json, subprocess, sys, tempfile

export, key, head, restart = (sys.argv[1:] + [None] * 4)[:4]
head_seq, head_hash = head.split() if head else (None, None)
most_unsigned = 2000


def stop(problem):
    sys.exit(f"BROKEN: {problem}")


def canonical(members):
    """RFC 8785, as far as flat objects of text, whole numbers, booleans and null need it."""
    return json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def is_signed(members, signature):
    with tempfile.NamedTemporaryFile() as signed, tempfile.NamedTemporaryFile() as proof:
        for file, content in ((signed, canonical(members)), (proof, base64.b64decode(signature))):
            file.write(content)
            file.flush()
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin"]
        return subprocess.run(command + ["-in", signed.name, "-sigfile", proof.name], capture_output=True).returncode == 0


def check_text(record, text):
    for part in ("target", "detail"):
        if text[part] is None:
            continue
        # Early versions exported a committed U+FFFD as three of them.
        readings = {text[part], text[part].replace("\ufffd" * 3, "\ufffd") if part == "target" else text[part]}
        if not any(hmac.new(bytes.fromhex(text["salt"]), each.encode(), "sha256").hexdigest() == record[part] for each in readings):
            stop(f"the {part} of record {record['seq']} was changed")


seq, last, signed_at, closed = 0, "0" * 64, 0, False
for line in open(export, encoding="utf-8", newline="\n"):
    entry = json.loads(line)
    if closed:
        stop(f"something follows the closing signature, after record {seq}")
    if "checkpoint" in entry:
        members = entry["checkpoint"]
        signature = members.pop("signature")
        if (members["seq"], members["hash"]) != (seq, last) or not is_signed(members, signature):
            stop(f"the signature over record {members['seq']} is false")
        signed_at, closed = seq, members["closing"]
        continue
    record = entry["record"]
    claimed = record.pop("hash")
    if record["seq"] != seq + 1 or record["prev_hash"] != last:
        stop(f"record {seq + 1} is missing, or stands elsewhere")
    if hashlib.sha256(canonical(record)).hexdigest() != claimed:
        stop(f"record {seq + 1} was changed")
    if entry.get("text"):
        check_text(record, entry["text"])
    if seq == 0 and record["action"] == "workspace.recover" and record["version"] != restart:
        stop(f"the log was restarted at {record['at']} from commit {record['version']}")
    seq, last = seq + 1, claimed
    if seq - signed_at > most_unsigned:
        stop(f"no signature follows record {signed_at}")
    if str(seq) == head_seq and last != head_hash:
        stop(f"record {seq} is not the one that was noted")
if not closed:
    stop(f"the export breaks off after record {seq}")
if head and int(head_seq) > seq:
    stop(f"record {head_seq} was noted, and the export ends at {seq}")
print(f"sound: {seq} records, the last is {last}")
