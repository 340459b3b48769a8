"""Reads back with boto3 what LiveServerTests wrote: check.py ENDPOINT KEY SECRET moto|radosgw"""
import hashlib
import sys

from client import ODD_KEYS, connect

endpoint, key, secret, kind = sys.argv[1:]
s3 = connect("s3", endpoint, key, secret)


def body(name):
    found = s3.get_object(Bucket="swift", Key=name)
    data = found["Body"].read()
    assert found["ContentType"] == "text/csv", (name, found["ContentType"])
    assert found["Metadata"]["sha256"] == hashlib.sha256(data).hexdigest(), name
    return data


for name in ODD_KEYS[:5]:
    assert body("odd/" + name) == f"swift: {name}".encode(), name
assert body("libra_swift.csv") == b"1.0,0.5,0.0,1.0\n2.0,-0.25,1.0,0.0\n"
assert body("empty.csv") == b""
objects = 7
if kind == "moto":
    dynamo = connect("dynamodb", endpoint, key, secret)
    pages = dynamo.get_paginator("scan").paginate(TableName="rows")
    rows = [i for page in pages for i in page["Items"] if i["userID"]["S"].startswith("row1")]
    assert len(rows) == 4, rows
    row = next(i for i in rows if i["userID"]["S"] == "row1" and i["eventDate"]["S"] == "20260102000000")
    assert row == {"userID": {"S": "row1"}, "eventDate": {"S": "20260102000000"}, "m1": {"S": "one"}}, row
print(f"boto3 read back {objects} objects" + (" and 4 rows" if kind == "moto" else "") + " as they were written")
