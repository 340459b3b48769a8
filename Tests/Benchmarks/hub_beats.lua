-- wrk: one device after the other beats. The file of its first argument has "ID TOKEN" lines.
local devices, at, body = {}, 0, nil

function init(arguments)
    for line in io.lines(arguments[1]) do
        local id, token = line:match("(%S+) (%S+)")
        devices[#devices + 1] = { id = id, token = token }
    end
    at = math.random(#devices)
    body = '{"metadata":{"network_type":"wifi","battery_level":73,"temperature_celsius":41.5,"spool_files":2,"spool_bytes":6400000,"sampling_rate_hz":49.97,"activity":"WALKING","model_version":"2"},'
        .. '"sdk_version":"1.1.0","os_version":"Linux 6.12.43","battery_level":73,"network_type":"wifi","available_memory_mb":210,"available_storage_mb":11000,"active_model_version":"2"}'
end

function request()
    at = at % #devices + 1
    local device = devices[at]
    return wrk.format("PUT", "/api/v1/devices/" .. device.id .. "/heartbeat", { ["Authorization"] = "Bearer " .. device.token, ["Content-Type"] = "application/json" }, body)
end
