"""Fills a server with what LiveServerTests look for: prepare.py ENDPOINT KEY SECRET moto|radosgw"""
import sys
from concurrent.futures import ThreadPoolExecutor

from client import ODD_KEYS, connect

endpoint, key, secret, kind = sys.argv[1:]
s3 = connect("s3", endpoint, key, secret)
for bucket in ("swift", "boto", "many", "users", "agent"):
    s3.create_bucket(Bucket=bucket)
for name in ODD_KEYS:
    s3.put_object(Bucket="boto", Key=name, Body=f"boto: {name}".encode())
users = [f"user1_2026010100{i // 60:02d}{i % 60:02d}_data.csv" for i in range(1001)] + ["user1_mine.csv", "user1_20260101000000_data.2.csv"]
users += ["user10_20260101000000_data.csv", "user1_a_20260101000000_data.csv", "other.csv"]
with ThreadPoolExecutor(4) as pool:
    list(pool.map(lambda i: s3.put_object(Bucket="many", Key=f"k {i:05d}", Body=b"x"), range(1100)))
    list(pool.map(lambda name: s3.put_object(Bucket="users", Key=name, Body=b"x"), users))
if kind == "moto":
    dynamo = connect("dynamodb", endpoint, key, secret)
    names = [("userID", "HASH"), ("eventDate", "RANGE")]
    for table in ("rows", "agent"):
        dynamo.create_table(TableName=table, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": n, "KeyType": k} for n, k in names],
                            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n, _ in names])
    for i in range(12):
        item = {"userID": "boto", "eventDate": f"202601{i + 1:02d}000000", "m0": "x" * 150_000, "m1": "nil", "m2": "two"}
        dynamo.put_item(TableName="rows", Item={name: {"S": value} for name, value in item.items()})
    for user, date in (("gone", "1"), ("gone", "2"), ("gone", "3"), ("gone2", "1")):
        dynamo.put_item(TableName="rows", Item={"userID": {"S": user}, "eventDate": {"S": date}})
