/**
 * Rules that several endpoints have for their requests beside the schemas: how fields depend on each other, and values that only the service
 * knows. Each is a clause that follows "unless".
 */
export const requestRules = {
  range: "`end_time` is after `start_time`",
  cursor: "`cursor` is the `next_cursor` of an answer",
  geometry: "nodes are inside the room, zones have an area, and ids are unique",
  ifMatch: "`If-Match` is an ETag of this resource or `*`",
  aliases: "a field and its alias, if both are given, are equal",
  webhookUrl: "`url` is an https address that webhooks may be sent to",
} as const
