import { describe, expect, it } from "vitest"
import { addressRefusal, urlRefusal } from "../../../protocols/pose-api/webhook-url.ts"

describe("the address of an endpoint", () => {
  it.each([
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.8.8.8",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "203.0.113.9",
    "::1",
    "fd00::1",
    "::ffff:192.168.1.1",
    "2001:db8::1",
  ])("within a network, %s, is called in private mode alone", (address) => {
    expect(addressRefusal(address, "public")).toContain("private network")
    expect(addressRefusal(address, "private")).toBe(null)
  })

  it.each([
    "0.0.0.0",
    "169.254.169.254",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "fe80::1",
    "ff02::1",
    "64:ff9b::a00:1",
    "2002:a00:1::",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "not an address",
    "",
  ])("is never %s", (address) => {
    for (const targets of ["public", "private"] as const) expect(addressRefusal(address, targets)).not.toBe(null)
  })

  it.each(["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111"])("may be %s", (address) => {
    expect(addressRefusal(address, "public")).toBe(null)
  })
})

describe("the URL of an endpoint", () => {
  it.each([
    ["https://hooks.example.org/x?y=1", true, true],
    ["https://hooks.example.org:8443/", true, true],
    ["http://hooks.example.org/", false, true],
    ["https://localhost/", false, true],
    ["https://printer.local./", false, true],
    ["https://127.0.0.1/", false, true],
    ["https://0x7f.1/", false, true],
    ["https://2130706433/", false, true],
    ["https://[::1]/", false, true],
    ["https://[::ffff:7f00:1]/", false, false],
    ["http://169.254.169.254/latest/meta-data", false, false],
    ["https://user:password@hooks.example.org/", false, false],
    ["https://hooks.example.org/#part", false, false],
    ["ftp://hooks.example.org/", false, false],
    ["file:///etc/passwd", false, false],
    ["hooks.example.org", false, false],
    ["", false, false],
  ])("%s: public %s, private %s", (url, inPublic, inPrivate) => {
    expect(urlRefusal(url, "public") === null).toBe(inPublic)
    expect(urlRefusal(url, "private") === null).toBe(inPrivate)
  })
})
