"""The peer of the hub's benchmark: the same heartbeat in FastAPI over SQLite, as its tutorials have it, with one connection and WAL."""
import hashlib
import json
import os
import sqlite3
import time

from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel

database = sqlite3.connect(os.environ["PEER_DATABASE"], isolation_level=None, check_same_thread=False)
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA synchronous = NORMAL")
app = FastAPI()


class Heartbeat(BaseModel):
    metadata: dict = {}
    active_model_version: str | None = None
    battery_level: int | None = None
    network_type: str | None = None


async def device(authorization: str = Header()) -> str:
    digest = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).digest()
    row = database.execute("SELECT device FROM tokens WHERE hash = ? AND expires > ?", (digest, time.time())).fetchone()
    if not row:
        raise HTTPException(401, "no such token")
    return row[0]


@app.put("/api/v1/devices/{name}/heartbeat")
async def heartbeat(name: str, beat: Heartbeat, own: str = Depends(device)):
    if own != name:
        raise HTTPException(403, "another device's token")
    now = time.time()
    database.execute("UPDATE devices SET seen = ?, beat = ?, model_version = ? WHERE id = ?", (now, json.dumps(beat.model_dump()), beat.active_model_version, name))
    return {"status": "ok", "device_id": name, "acknowledged": True, "server_time": now, "heartbeat_interval_seconds": 300}
