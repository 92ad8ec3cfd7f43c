import { describe, expect, it } from "vitest"
import { contractFiles, contractLines, type ProtoFile } from "../../../deploy/proto/contract.ts"
import { lint } from "../../../deploy/proto/lint.ts"

const files = contractFiles()

/** The contract after a change of one file, which is a copy. */
const changed = (name: string, change: (text: string) => string): ReadonlyArray<ProtoFile> =>
  files.map((file) => file.name === `wavepose/v1/${name}` ? JSON.parse(change(JSON.stringify(file))) : file)

/** Lines that a changed contract lacks. */
const missing = (after: ReadonlyArray<ProtoFile>): ReadonlyArray<string> => {
  const present = new Set(contractLines(after))
  return contractLines(files).filter((line) => !present.has(line))
}

describe("the lines of the gRPC contract", () => {
  it("are those of its fields, enum values and methods", () => {
    expect(contractLines(files)).toEqual(expect.arrayContaining([
      "GetLatestPoseRequest.environment_id = 1 optional string",
      "ListPosesRequest.Order.ORDER_DESC = 2",
      "ProcessCsiResponse.pose_frame = 2 oneof result PoseFrame",
      "PoseService.WatchPoses(WatchPosesRequest) stream WatchPosesResponse",
      "wavepose/v1/pose.proto has PoseService",
      "wavepose/v1/pose.proto goPackage = wavepose/v1;waveposev1",
    ]))
  })

  it.each([
    ["a field with another name", '"environment_id","number":1', '"room_id","number":1'],
    ["a field with another number", '"environment_id","number":1', '"environment_id","number":99'],
    ["an enum value with another number", '"ORDER_DESC","number":2', '"ORDER_DESC","number":3'],
    ["a method with another name", '"GetLatestPose"', '"GetNewestPose"'],
    ["a method that is no stream", '"serverStreaming":true', '"serverStreaming":false'],
    ["another Go package", "wavepose/v1;waveposev1", "wavepose/v1;pb"],
  ])("lack a line after %s", (_, from, to) => {
    expect(missing(changed("pose.proto", (text) => text.replace(from, to))).length).toBeGreaterThan(0)
  })

  it("lack none after a new field", () => {
    const added = '{"name":"added","number":100,"label":"LABEL_OPTIONAL","type":"TYPE_STRING"},'
    expect(missing(changed("pose.proto", (text) => text.replace('"field":[', `"field":[${added}`)))).toEqual([])
  })
})

describe("the style of the gRPC contract", () => {
  it("is that of buf's STANDARD", () => expect(lint(files)).toEqual([]))

  it.each([
    ["environment_id", "environmentId", "GetLatestPoseRequest.environmentId is not in lower_snake_case"],
    ["ORDER_UNSPECIFIED", "ORDER_NONE", "the zero value of enum Order is not ORDER_UNSPECIFIED"],
    ["ORDER_DESC", "DESC", "enum value DESC is not in UPPER_SNAKE_CASE with the prefix ORDER_"],
    ['"PoseService"', '"Poses"', "service Poses is not in UpperCamelCase with Service"],
    [
      '"outputType":".wavepose.v1.QueryPosesResponse"',
      '"outputType":".wavepose.v1.PoseFrame"',
      "the response of QueryPoses is .wavepose.v1.PoseFrame",
    ],
    ["wavepose/v1/pose.proto", "pose.proto", "pose.proto is not a lower_snake_case file in wavepose/v1"],
    ["waveposev1", "pb", "the files of the package have different values of goPackage"],
  ])("is violated by %s as %s", (from, to, complaint) => {
    expect(lint(changed("pose.proto", (text) => text.replace(from, to)))).toContain(complaint)
  })
})
