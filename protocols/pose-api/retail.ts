/**
 * Endpoint of the group Analytics for retail.
 */
import { Schema } from "effect"
import { clockOf, type RetailReport } from "../../core/analytics/retail.ts"
import { analyticsGroup, type AskedPeriod, periodBody, periodFields, periodShape } from "./analytics.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableFinite, round4, round4OrNull } from "./fields.ts"

interface RetailAnswer {
  readonly asked: AskedPeriod
  readonly report: RetailReport
}

const NullableCount = Schema.NullOr(Count)

const RetailBody = Schema.Struct({
  ...periodShape,
  metrics: Schema.Struct({
    traffic: Schema.Struct({
      total_visitors: NullableCount.annotate({
        description:
          "Number of visits: tracks that began in the period. A person who returns, or whose track was lost, counts again.",
      }),
      unique_visitors: NullableCount.annotate({
        description: "Number of distinct visitors, if `unique_visitor_bounds` agree; else null.",
      }),
      unique_visitors_bounds: Schema.NullOr(Schema.Struct({ min: Count, max: Count })).annotate({
        description:
          "Bounds of the number of distinct visitors: at least the maximum at one time, at most the number of tracks.",
      }),
      peak_hour: Schema.NullOr(Schema.String.check(Schema.isPattern(/^\d\d:\d\d$/u))).annotate({
        description: "Start of the hour in which most visits began, HH:MM, UTC.",
      }),
      peak_count: NullableCount,
      average_dwell_time_minutes: NullableFinite,
    }),
    zones: Schema.Array(Schema.Struct({
      zone_id: Schema.String,
      zone_name: Schema.String,
      visitor_count: NullableCount.annotate({
        description: "Number of distinct visitors; null if events are anonymised or encrypted.",
      }),
      avg_dwell_time_minutes: NullableFinite,
      conversion_rate: Schema.NullOr(Fraction).annotate({
        description: "Fraction of the zone's visitors who were in a zone of role `purchase` at the same time or later.",
      }),
      environment_id: Schema.String,
      entries: Count,
    })),
    conversion_funnel: Schema.Struct({
      entrance: NullableCount,
      product_interaction: NullableCount,
      checkout_area: NullableCount,
      purchase: NullableCount,
    }).annotate({
      description: "Number of distinct visitors of the zones with the roles entrance, product, checkout and purchase.",
    }),
    heat_map: Schema.Struct({
      high_traffic_areas: Schema.Array(Schema.Struct({
        zone: Schema.String,
        intensity: Fraction,
        zone_id: Schema.String,
        environment_id: Schema.String,
      })),
    }).annotate({
      description:
        "Zones with at least half of the visitors of the busiest zone (of its entries, if visitors are null). Intensity is that fraction.",
    }),
  }),
})

/** The reasons of the funnel by the names of its stages. */
const stageNames: Readonly<Record<string, string>> = {
  "conversionFunnel.product": "conversionFunnel.productInteraction",
  "conversionFunnel.checkout": "conversionFunnel.checkoutArea",
}

const retailBody = ({ asked, report }: RetailAnswer): typeof RetailBody.Type => ({
  ...periodBody(
    asked,
    report.origins,
    Object.fromEntries(Object.entries(report.reasons).map(([path, reason]) => [stageNames[path] ?? path, reason])),
  ),
  metrics: {
    traffic: {
      total_visitors: report.totalVisitors,
      unique_visitors: report.uniqueVisitors,
      unique_visitors_bounds: report.uniqueBounds,
      peak_hour: report.peakHourMs === null ? null : clockOf(report.peakHourMs),
      peak_count: report.peakCount,
      average_dwell_time_minutes: round4OrNull(report.averageDwellMinutes),
    },
    zones: report.zones.map((zone) => ({
      zone_id: zone.zoneId,
      zone_name: zone.name,
      visitor_count: zone.visitors,
      avg_dwell_time_minutes: round4OrNull(zone.averageDwellMinutes),
      conversion_rate: round4OrNull(zone.conversionRate),
      environment_id: zone.environmentId,
      entries: zone.entries,
    })),
    conversion_funnel: {
      entrance: report.funnel.entrance,
      product_interaction: report.funnel.product,
      checkout_area: report.funnel.checkout,
      purchase: report.funnel.purchase,
    },
    heat_map: {
      high_traffic_areas: report.areas.map(({ environmentId, intensity, name, zoneId }) => ({
        zone: name,
        intensity: round4(intensity),
        zone_id: zoneId,
        environment_id: environmentId,
      })),
    },
  },
})

const codec = jsonCodec(RetailBody, retailBody)

export const retailAnalytics = endpoint({
  method: "GET",
  path: "/analytics/retail",
  group: analyticsGroup,
  summary: "Get the visits, zones and conversion funnel of a period",
  access: "read:events",
  category: "analytics",
  query: Schema.Struct(periodFields),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})
