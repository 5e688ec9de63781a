"""OpenStack Swift in one process: python3 serve-swift.py FOLDER OBJECTS_IN_A_PART. Prints the port of its proxy."""

import os
import sys

import eventlet
import eventlet.wsgi

eventlet.patcher.monkey_patch(all=False, socket=True, select=True, thread=True)

from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

folder, page = sys.argv[1:]
disks = os.path.join(folder, "disks")
os.makedirs(os.path.join(disks, "d1"))


class Quiet:
    def write(self, *_):
        pass


def serve(name, listener, lines):
    path = os.path.join(folder, name + ".conf")
    with open(path, "w") as file:
        file.write(f"[DEFAULT]\nswift_dir = {folder}\ndevices = {disks}\nmount_check = false\n{lines}")
    app = loadapp(path, global_conf={"log_name": name})
    eventlet.spawn(eventlet.wsgi.server, listener, app, Quiet(), debug=False, log_output=False)
    return listener.getsockname()[1]


listeners = {name: eventlet.listen(("127.0.0.1", 0)) for name in ("account", "container", "object")}
for name, listener in listeners.items():
    ring = RingBuilder(4, 1, 0)
    port = listener.getsockname()[1]
    ring.add_dev({"id": 0, "region": 1, "zone": 1, "weight": 1, "ip": "127.0.0.1", "port": port, "device": "d1"})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, name + ".ring.gz"))
for name, listener in listeners.items():
    serve(name, listener, f"[pipeline:main]\npipeline = {name}-server\n[app:{name}-server]\nuse = egg:swift#{name}\n")
proxy = f"""
[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
max_bucket_listing = {page}
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:slo]
use = egg:swift#slo
[filter:catch_errors]
use = egg:swift#catch_errors
"""
print(serve("proxy", eventlet.listen(("127.0.0.1", 0)), proxy), flush=True)
eventlet.sleep(600)
