/**
 * The contract: requests and messages whose answers are those of Home Assistant.
 *
 * The peer has the helpers of `configuration.yaml`. Cases leave nothing behind that another one sees. `differs` names what this service does
 * on purpose otherwise; its answers are then not compared.
 */
import type { Step } from "./exchange.ts"

interface Case {
  readonly name: string
  readonly steps: ReadonlyArray<Step>
  readonly differs?: string
  /** The notation of whole floats matters. */
  readonly exact?: boolean
}

const get = (path: string): Step => ({ rest: ["GET", path] })
const post = (path: string, body?: unknown): Step => ({ rest: ["POST", path, body] })
const remove = (path: string): Step => ({ rest: ["DELETE", path] })
const ws = (message: object | string, events = 0): Step => ({ ws: message, ...(events === 0 ? {} : { events }) })

const set = (id: string, state: unknown, attributes?: object) =>
  post(`/api/states/${id}`, { state, ...(attributes === undefined ? {} : { attributes }) })

const restCases: ReadonlyArray<Case> = [
  { name: "GET /api/", steps: [get("/api/"), get("/api"), get("/api/nothing"), post("/api/")] },
  {
    name: "state of a number keeps its notation",
    steps: ["0", "0.0", "1e3", "-0.0", "9007199254740993", "1.50", "true", "null"].flatMap((text) => [
      post("/api/states/sensor.contract_number", `{"state":${text}}`),
      get("/api/states/sensor.contract_number"),
      remove("/api/states/sensor.contract_number"),
    ]),
  },
  {
    name: "attributes keep integers and decimals",
    exact: true,
    steps: [
      post(
        "/api/states/sensor.contract_exact",
        '{"state":"x","attributes":{"a":9007199254740993,"b":1.0,"c":[2.0,3]}}',
      ),
      get("/api/states/sensor.contract_exact"),
      post("/api/states/sensor.contract_exact", '{"state":"x","attributes":{"a":9007199254740993,"b":1,"c":[2,3.0]}}'),
      post(
        "/api/states/sensor.contract_exact",
        '{"state":18446744073709551616,"attributes":{"a":9007199254740992,"b":[1e3,1e15,1e16,1e22,0.1,-0.0,-0],"c":18446744073709551615,' +
          '"d":18446744073709551616,"e":-9223372036854775808,"f":-9223372036854775809,"g":123456789012345678.0}}',
      ),
      post(
        "/api/template",
        "{\"template\":\"{{ state_attr('sensor.contract_exact', 'a') + 1 }} {{ state_attr('sensor.contract_exact', 'b') }} {{ x }} {{ y }}\"," +
          '"variables":{"x":2.0,"y":9007199254740993}}',
      ),
      remove("/api/states/sensor.contract_exact"),
    ],
  },
  {
    name: "invalid JSON of a state",
    steps: [
      '{"state":1e400}',
      '{"state":"\\ud800"}',
      '\ufeff{"state":1}',
      '{"state":NaN}',
      '{"state":1,}',
      "",
      "[]",
      '"on"',
      "{}",
      '{"state":null}',
    ].map((body) => post("/api/states/sensor.contract_invalid", body)),
  },
  {
    name: "entity ids of states",
    steps: [
      ...["bad", "a.b.c", "_a.b", "a.b_", "a__b.c", "sensor.", ".x", "sensor.a-b", "Sensor.Contract_Upper"].map((id) =>
        set(id, "1")
      ),
      remove("/api/states/sensor.contract_upper"),
      remove("/api/states/bad"),
    ],
  },
  {
    name: "length of a state",
    steps: [
      set("sensor.contract_long", "x".repeat(255)),
      set("sensor.contract_long", "x".repeat(256)),
      remove("/api/states/sensor.contract_long"),
    ],
  },
  {
    name: "malformed targets over REST",
    steps: ["bad id", "", ["light.a", "bad id"], "light.A, light.b", 5, null, "none"].map((entity_id) =>
      post("/api/services/input_boolean/turn_on", { entity_id })
    ),
  },
  {
    name: "service data over REST",
    steps: [
      post("/api/services/input_boolean/turn_on"),
      post("/api/services/input_boolean/turn_on", {}),
      post("/api/services/input_boolean/turn_on", "[]"),
      post("/api/services/input_boolean/turn_on", "nonsense"),
      post("/api/services/input_boolean/turn_on", { entity_id: "input_boolean.guests", extra: 1 }),
      post("/api/services/input_boolean/nothing", {}),
      post("/api/services/input_boolean/turn_on?return_response", { entity_id: "input_boolean.guests" }),
      post("/api/services/input_boolean/turn_on", { entity_id: "input_boolean.nobody" }),
      post("/api/services/Input_Boolean/TURN_OFF", { entity_id: "input_boolean.guests" }),
    ],
  },
  {
    name: "input_number over REST",
    steps: [4, "5.5", 11, -1, "x", null].map((value) =>
      post("/api/services/input_number/set_value", { entity_id: "input_number.level", value })
    ).concat([
      post("/api/services/input_number/increment", { entity_id: "input_number.level" }),
      post("/api/services/input_number/set_value", { entity_id: "input_number.level", value: 3 }),
    ]),
  },
  {
    name: "input_select over REST",
    steps: [
      post("/api/services/input_select/select_option", { entity_id: "input_select.mode", option: "Away" }),
      post("/api/services/input_select/select_option", { entity_id: "input_select.mode", option: "Nowhere" }),
      post("/api/services/input_select/set_options", { entity_id: "input_select.mode", options: ["A", "B", "A"] }),
      post("/api/services/input_select/set_options", { entity_id: "input_select.mode", options: [] }),
      post("/api/services/input_select/set_options", {
        entity_id: "input_select.mode",
        options: ["Home", "Away", "Night"],
      }),
      post("/api/services/input_select/select_next", { entity_id: "input_select.mode", cycle: true }),
      post("/api/services/input_select/select_first", { entity_id: "input_select.mode" }),
    ],
  },
  {
    name: "events over REST",
    steps: [
      post("/api/events/contract_event"),
      post("/api/events/contract_event", { a: 1 }),
      post("/api/events/contract_event", "[]"),
      post("/api/events/contract_event", "nonsense"),
      post("/api/events/contract_event", "null"),
    ],
  },
]

const template = (text: string, more: object = {}): Step => post("/api/template", { template: text, ...more })

const templateCases: ReadonlyArray<Case> = [
  {
    name: "template requests",
    steps: [
      post("/api/template", "nonsense"),
      post("/api/template", "[]"),
      template("plain"),
      template("{{ x }} {{ y + 1 }}", { variables: { x: "a", y: 2 } }),
      template("{{ nothing }}"),
      template("{{ 1 / 0 }}"),
      template("{{ broken"),
      template("{% if %}"),
      template("{{ 1 | nofilter }}"),
      template("{{ 'x' is notest }}"),
      template("{{ nofunction() }}"),
    ],
  },
  {
    name: "states in templates",
    steps: [
      set("sensor.contract_t", "21.5", {
        unit_of_measurement: "°C",
        friendly_name: "T",
        list: [1, 2],
        deep: { a: 1.0 },
      }),
      ...[
        "{{ states('sensor.contract_t') }} {{ states.sensor.contract_t.state }} {{ states['sensor.contract_t'].name }}",
        "{{ states('sensor.contract_none') }} {{ states('sensor.contract_none', 'x') }} {{ states.sensor.contract_none }}",
        "{{ states.sensor.contract_t.attributes.list }} {{ states.sensor.contract_t.attributes.deep }}",
        "{{ is_state('sensor.contract_t', '21.5') }} {{ is_state('sensor.contract_t', ['1', '21.5']) }}",
        "{{ state_attr('sensor.contract_t', 'friendly_name') }} {{ state_attr('sensor.contract_t', 'no') }}",
        "{{ is_state_attr('sensor.contract_t', 'friendly_name', 'T') }} {{ has_value('sensor.contract_t') }}",
        "{{ states('sensor.contract_t') | float(0) + 1 }} {{ states('sensor.contract_t', with_unit=True) }}",
        "{{ states('sensor.contract_t', rounded=True) }} {{ 'sensor.contract_t' | states }}",
        "{{ states.sensor | selectattr('entity_id', 'eq', 'sensor.contract_t') | map(attribute='state') | list }}",
        "{{ states.input_boolean | map(attribute='entity_id') | list }} {{ states.input_boolean | count }}",
        "{% for s in states.input_number %}{{ s.entity_id }}={{ s.state }};{% endfor %}",
        "{{ expand('sensor.contract_t') | map(attribute='entity_id') | join(',') }}",
        "{{ states.sensor.contract_t.last_changed is defined }} {{ states.sensor.contract_t.domain }}",
        "{{ (now() - states.sensor.contract_t.last_changed).total_seconds() < 60 }}",
        "{{ as_timestamp(states.sensor.contract_t.last_updated) > 0 }} {{ states.sensor.contract_t.object_id }}",
        "{{ states.nodomain | list }} {{ states.sensor.contract_t.attributes.nope }}",
        "{{ states.sensor.contract_none.state }}",
        "{{ states('bad id') }}",
        "{{ states.sensor.contract_t.state_with_unit }}",
        "{{ 'sensor.contract_t' is is_state('21.5') }} {{ 'sensor.contract_t' is has_value }}",
      ].map((text) => template(text)),
      remove("/api/states/sensor.contract_t"),
    ],
  },
  {
    name: "values in templates",
    steps: [
      "{{ 1 }} {{ 1.0 }} {{ 1.50 }} {{ True }} {{ none }} {{ [1, 'a', None, true] }} {{ (1, 2) }}",
      "{{ {'a': 1, 'b': [2.0]} }} {{ 'it''s' }} {{ \"it's\" }} {{ ['it\\'s'] }}",
      "{{ 7 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ 6 / 3 }} {{ 7.5 // 2 }}",
      "{{ 0.1 + 0.2 }} {{ 1e22 }} {{ 10 ** 22 }} {{ 1.0e-7 }} {{ 123456789012345678 * 10 }}",
      "{{ 'a' ~ 1 ~ 2.0 ~ none }} {{ 'a' * 3 }} {{ [1] * 2 }} {{ [1] + [2] }} {{ 'ab'[0] }} {{ 'abc'[::-1] }} {{ 'abc'[1:] }}",
      "{{ 1 == 1.0 }} {{ 1 < 2 < 3 }} {{ 'a' < 'b' }} {{ 'a' in 'abc' }} {{ 1 in [1, 2] }} {{ 'k' in {'k': 1} }} {{ 3 not in [1] }}",
      "{{ not 1 }} {{ 1 and 'x' }} {{ 0 or 'y' }} {{ 'a' if false }} {{ 'a' if false else 'b' }}",
      "{{ 'a' + 1 }}",
      "{{ 1 < 'a' }}",
      "{{ none + 1 }}",
      "{{ [1, 2, 3][5] }}|{{ {'a': 1}.b }}|{{ {'a': 1}['a'] }}|{{ 'abc'.upper() }}|{{ 'a,b'.split(',') }}",
      "{{ nothing.deeper }}",
      "{{ nothing | default('d') }} {{ '' | default('d', true) }} {{ nothing is defined }} {{ nothing is undefined }}",
      "{% set ns = namespace(n=0) %}{% for i in range(5) %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}",
      "{% set a, b = 1, 2 %}{{ a }}{{ b }}{% for k, v in {'x': 1, 'y': 2}.items() %}{{ loop.index }}{{ k }}{{ v }}{{ loop.last }}{% endfor %}",
      "{% macro m(x, y=2) %}{{ x * y }}{% endmacro %}{{ m(3) }} {{ m(3, y=4) }}",
      "{% for i in [] %}x{% else %}empty{% endfor %}{% for i in range(6) if i is even %}{{ i }}{% endfor %}",
      "{% for i in range(9) %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}{% raw %}{{ x }}{% endraw %}",
      "  {{ 1 }}  \n",
      "{%- if 1 -%}  a  {%- endif -%}",
      "{{ 5 is odd }} {{ 4 is divisibleby(2) }} {{ 4 is divisibleby 3 }} {{ 'a' is string }} {{ 1 is number }} {{ none is none }} {{ 1 is eq 1 }}",
      "{{ [1] is list }} {{ {} is mapping }} {{ 'x' is sequence }} {{ 1.0 is float }} {{ true is boolean }} {{ 1 is in [1] }} {{ 2 is ge(2) }}",
      "{{ range(3) | list }} {{ range(1, 10, 4) | list }} {{ dict(a=1) }} {{ 'x' | list }}",
    ].map((text) => template(text)),
  },
  {
    name: "filters in templates",
    steps: [
      "{{ '3.7' | float }} {{ '3' | int }} {{ '3.7' | int(0) }} {{ 'x' | int(0) }} {{ 'x' | float(1.5) }} {{ 3.7 | int }} {{ '0x1f' | int(0, 16) }}",
      "{{ 'x' | float }}",
      "{{ 'x' | int }}",
      "{{ 3.14159 | round(2) }} {{ 2.5 | round }} {{ 2.5 | round(0) }} {{ 3.2 | round(0, 'ceil') }} {{ 3.8 | round(0, 'floor') }} {{ 2.7 | round(0,'half') }} {{ 5 | round(1) }}",
      "{{ [3, 1, 2] | sort }} {{ [3, 1] | sort(reverse=true) }} {{ [1, 2] | sum }} {{ [1, 2] | max }} {{ [1, 2] | min }} {{ [1, 2] | first }} {{ [1, 2] | last }}",
      "{{ ['a', 'B'] | join('-') }} {{ 'abc' | length }} {{ [1, 1, 2] | unique | list }} {{ [1, 2] | reverse | list }} {{ 'abc' | reverse }}",
      "{{ 'Hello World' | lower }} {{ 'hello world' | title }} {{ 'hello' | capitalize }} {{ ' x ' | trim }} {{ 'a-b' | replace('-', '+') }} {{ 'abc' | upper }}",
      "{{ {'b': 1, 'a': [1.0, none, true]} | to_json }} {{ {'b': 1, 'a': 2} | to_json(sort_keys=true) }} {{ '{\"a\": [1, 2.0]}' | from_json }}",
      "{{ [1, 2, 3, 4] | select('odd') | list }} {{ [1, 2] | reject('eq', 1) | list }} {{ ['1', '2'] | map('int') | list }} {{ [1, 2] | map('multiply', 2) | list }}",
      "{{ [{'a': 1}, {'a': 2}] | selectattr('a', 'gt', 1) | list }} {{ [{'a': 1}, {'b': 2}] | selectattr('a', 'defined') | list }} {{ [{'a': 1}] | rejectattr('a') | list }}",
      "{{ [{'a': 2}, {'a': 1}] | sort(attribute='a') | map(attribute='a') | list }} {{ [1, 2, 3] | batch(2) | list }} {{ [1,2,3] | average }} {{ [1,2,9] | median }}",
      "{{ 'a b' | urlencode }} {{ 'hello' | truncate(4) }} {{ 'x' | center(5) }}| {{ 'abc' | string }} {{ -3 | abs }} {{ {'a': 1} | dictsort }} {{ {'a': 1} | items | list }}",
      "{{ 'ÄÖ x' | slugify }} {{ 'a1b2' | regex_findall('[0-9]') }} {{ 'abc' | regex_match('a.c') }} {{ 'abc' | regex_search('b') }} {{ 'abc' | regex_replace('b', 'x') }} {{ 'a1' | regex_findall_index('\\\\d', 0) }}",
      "{{ 'abc' is match('ab') }} {{ 'abc' is search('bc') }} {{ 5 | bitwise_and(4) }} {{ 5 | bitwise_or(2) }} {{ 'on' | bool }} {{ 'no' | bool }} {{ 'x' | bool('d') }}",
      "{{ 'test' | base64_encode }} {{ 'dGVzdA==' | base64_decode }} {{ 'x' | md5 }} {{ 'x' | sha256 }} {{ 255 | ordinal }} {{ '%.2f' | format(3.14159) }} {{ '%s-%d' | format('a', 3) }}",
      "{{ '{:.1f}'.format(3.14159) }} {{ '{} {}'.format(1, 'a') }} {{ '{0:>5}|{0:<5}|{0:05d}'.format(42) }} {{ '{:,}'.format(1234567) }} {{ 'a%sb' % 1 }}",
      "{{ [1, 2] | contains(1) }} {{ 'abc' | contains('b') }} {{ iif(true, 'y', 'n') }} {{ false | iif('y', 'n') }} {{ none | iif('y', 'n', 'u') }} {{ is_number('3.5') }} {{ 'x' | is_number }}",
      "{{ log(8, 2) }} {{ sqrt(16) }} {{ sin(0) }} {{ pi | round(3) }} {{ e | round(3) }} {{ 16 | sqrt }} {{ 100 | log(10) }} {{ min(3, 1) }} {{ max([1, 5]) }} {{ int('7') }} {{ float('1.5') }}",
      "{{ [[1], [2, 3]] | flatten }} {{ zip([1, 2], ['a', 'b']) | list }} {{ set([1, 1]) }} {{ [1, 2] | union([3]) }} {{ [1, 2] | intersect([2]) }} {{ [1, 2] | difference([2]) }} {{ typeof(1.5) }}",
      "{{ 'a' | add(1, 'd') }} {{ 3 | add(2) }} {{ 3 | multiply(2.5) }} {{ 'x' | ord }} {{ clamp(15, 0, 10) }} {{ wrap(370, 0, 360) }} {{ remap(5, 0, 10, 0, 100) }}",
      "{{ [1, 2, 3] | groupby('x') }}",
      "{% for g, items in [{'t': 'a', 'n': 1}, {'t': 'b', 'n': 2}, {'t': 'a', 'n': 3}] | groupby('t') %}{{ g }}:{{ items | map(attribute='n') | list }};{% endfor %}",
    ].map((text) => template(text)),
  },
  {
    name: "times in templates",
    steps: [
      "{{ as_timestamp('2026-01-02T03:04:05+00:00') }} {{ as_timestamp('nonsense', 0) }} {{ 0 | timestamp_utc }} {{ 86400 | timestamp_custom('%Y-%m-%d %H:%M') }} {{ 0 | timestamp_local }}",
      "{{ as_datetime('2026-01-02T03:04:05+00:00') }} {{ as_datetime('2026-01-02T03:04:05+00:00').isoformat() }} {{ as_datetime(0) }} {{ '2026-01-02' | as_datetime }}",
      "{{ strptime('2026-01-02 03:04', '%Y-%m-%d %H:%M') }} {{ as_datetime('2026-01-02T03:04:05Z').strftime('%A %d %B %Y %j %I%p') }} {{ timedelta(hours=1, minutes=5) }} {{ timedelta(days=2, seconds=1.5) }}",
      "{{ (as_datetime('2026-01-02T03:04:05Z') - as_datetime('2026-01-01T00:00:00Z')).total_seconds() }} {{ as_datetime('2026-01-02T03:04:05Z') + timedelta(days=1) }} {{ as_datetime('2026-01-02T03:04:05Z').timestamp() }}",
      "{{ as_datetime('2026-01-02T03:04:05Z').hour }} {{ as_datetime('2026-01-02T03:04:05Z').weekday() }} {{ as_datetime('2026-01-02T03:04:05Z').date() }} {{ as_datetime('2026-01-02T03:04:05Z').time() }} {{ as_datetime('2026-01-02T03:04:05Z').replace(hour=9) }}",
      "{{ now().year >= 2026 }} {{ utcnow() <= now() }} {{ today_at('10:30').hour }} {{ today_at('10:30').minute }} {{ now() > now() - timedelta(minutes=1) }} {{ as_local(utcnow()).tzinfo }} {{ relative_time(now() - timedelta(hours=2)) }} {{ time_since(now() - timedelta(hours=2)) }}",
      "{{ as_timedelta('PT1H30M') }} {{ '01:30:00' | as_timedelta }} {{ timedelta(hours=26).days }} {{ timedelta(minutes=90).seconds }}",
      "{{ [as_datetime('2026-01-02T03:04:05Z')] }} {{ as_datetime('nonsense', 'd') }} {{ as_timestamp('nonsense') }}",
    ].map((text) => template(text)),
  },
  {
    name: "templates that do not end or escape",
    steps: [
      "{% for i in range(1000000000) %}{% endfor %}",
      "{{ ''.__class__ }}",
      "{{ ''.__class__.__mro__ }}",
      "{{ range.constructor }}",
      "{{ states.__init__ }}",
      "{{ [].append(1) }}",
      "{{ 'constructor' in {} }}{{ {}.constructor }}{{ {}['__proto__'] }}",
    ].map((text) => template(text)),
  },
]

const id = (n: unknown) => ws({ id: n, type: "ping" })

const socketCases: ReadonlyArray<Case> = [
  {
    name: "ids of commands",
    steps: [
      ws('{"id":1.0,"type":"ping"}'),
      ws('{"id":2,"type":"ping"}'),
      ws('{"id":2,"type":"ping"}'),
      id("3"),
      id(true),
      id(-1),
      id(0),
      id(null),
      ws('{"type":"ping"}'),
      ws('{"id":5}'),
      ws('{"id":6,"type":7}'),
      ws("5"),
      ws('"text"'),
      ws("null"),
      ws('{"id":7,"type":"nothing"}'),
      ws('{"id":7,"type":"ping","extra":1}'),
      ws('[{"id":20,"type":"ping"},{"id":21,"type":"ping"}]', 1),
    ],
  },
  {
    name: "numbers of an event",
    exact: true,
    steps: [
      ws({ type: "subscribe_events", event_type: "contract_numbers" }),
      ws(
        '{"id":2,"type":"fire_event","event_type":"contract_numbers","event_data":{"a":9007199254740993,"b":1.0,"c":1}}',
        1,
      ),
      { ...post("/api/events/contract_numbers", '{"a":18446744073709551616,"b":[-0.0]}'), events: 1 },
    ],
  },
  { name: "invalid JSON of a command", steps: [{ ws: '{"id":1,"type":"ping"', closes: true }] },
  { name: "infinite number in a command", steps: [{ ws: '{"id":1,"type":"ping","x":1e400}', closes: true }] },
  {
    name: "malformed targets over the WebSocket",
    steps: ["bad id", "", ["light.a", "bad id"], 5, null].flatMap((entity_id) => [
      ws({ type: "call_service", domain: "input_boolean", service: "turn_on", target: { entity_id } }),
      ws({ type: "call_service", domain: "input_boolean", service: "turn_on", service_data: { entity_id } }),
    ]),
  },
  {
    name: "failures of services over the WebSocket",
    steps: [
      ws({ type: "call_service", domain: "nothing", service: "at_all" }),
      ws({
        type: "call_service",
        domain: "input_select",
        service: "select_option",
        service_data: { option: "Nowhere" },
        target: { entity_id: "input_select.mode" },
      }),
      ws({
        type: "call_service",
        domain: "input_select",
        service: "set_options",
        service_data: { options: ["A", "A"] },
        target: { entity_id: "input_select.mode" },
      }),
      ws({
        type: "call_service",
        domain: "input_boolean",
        service: "turn_on",
        return_response: true,
        target: { entity_id: "input_boolean.guests" },
      }),
      ws({ type: "call_service", domain: "input_boolean", service: "turn_on", service_data: null }),
      ws({ type: "call_service", domain: "input_boolean" }),
      ws({ type: "call_service", domain: "input_boolean", service: "turn_on", target: { nothing: "x" } }),
      ws({ type: "call_service", domain: "input_boolean", service: "turn_on" }),
      ws({
        type: "call_service",
        domain: "input_number",
        service: "set_value",
        service_data: { value: 99 },
        target: { entity_id: "input_number.level" },
      }),
    ],
  },
  {
    name: "render_template",
    differs: "an error is reported once, after the answer; Home Assistant reports it before and after",
    steps: [
      set("sensor.contract_r", "1"),
      ws({ type: "render_template", template: "{{ states('sensor.contract_r') }}" }, 1),
      { ...set("sensor.contract_r", "2"), events: 1 },
      ws({ type: "render_template", template: "{{ [1, 2.0, none, 'a'] }}" }, 1),
      ws({ type: "render_template", template: "{{ 1.0 }}" }, 1),
      ws({ type: "render_template", template: "{{ '007' }}" }, 1),
      ws({ type: "render_template", template: "{{ {'a': (1, 2)} }}" }, 1),
      ws({ type: "render_template", template: "{{ now() is defined }}" }, 1),
      ws({ type: "render_template", template: "{{ states.input_boolean | count }}" }, 1),
      ws({ type: "render_template", template: "{{ states | count > 0 }}" }, 1),
      ws({ type: "render_template", template: "{{ x + 1 }}", variables: { x: 3 } }, 1),
      ws({ type: "render_template", template: "{{ broken" }),
      ws({ type: "render_template", template: "{{ 1 / 0 }}", report_errors: true }, 1),
      ws({ type: "render_template", template: "{{ nothing }}", strict: true, report_errors: true }, 1),
      ws({ type: "render_template" }),
      ws({ type: "render_template", template: 5 }),
      remove("/api/states/sensor.contract_r"),
    ],
  },
  {
    name: "triggers: numeric_state",
    steps: [
      set("sensor.contract_n", "1"),
      ws({
        type: "subscribe_trigger",
        trigger: { platform: "numeric_state", entity_id: "sensor.contract_n", above: 10 },
      }),
      { ...set("sensor.contract_n", "11"), events: 1 },
      { ...set("sensor.contract_n", "12") },
      { ...set("sensor.contract_n", "5") },
      { ...set("sensor.contract_n", "11.5"), events: 1 },
      ws({ type: "subscribe_trigger", trigger: { platform: "numeric_state", entity_id: "sensor.contract_n" } }),
      ws({ type: "subscribe_trigger", trigger: { platform: "numeric_state", above: 1 } }),
      ws({ type: "subscribe_trigger", trigger: { platform: "numeric_state", entity_id: "bad id", above: 1 } }),
      ws({
        type: "subscribe_trigger",
        trigger: { platform: "numeric_state", entity_id: "sensor.contract_n", above: 5, below: 1 },
      }),
      remove("/api/states/sensor.contract_n"),
    ],
  },
  {
    name: "triggers: event",
    steps: [
      ws({
        type: "subscribe_trigger",
        trigger: { platform: "event", event_type: "contract_trigger", event_data: { a: 1 } },
      }),
      { rest: ["POST", "/api/events/contract_trigger", { a: 1, b: 2 }], events: 1 },
      { rest: ["POST", "/api/events/contract_trigger", { a: 2 }] },
      ws({ type: "subscribe_trigger", trigger: { platform: "event" } }),
    ],
  },
  {
    name: "triggers: template",
    steps: [
      set("sensor.contract_tt", "0"),
      ws({
        type: "subscribe_trigger",
        trigger: { platform: "template", value_template: "{{ states('sensor.contract_tt') | int(0) > 5 }}" },
      }),
      { ...set("sensor.contract_tt", "6"), events: 1 },
      { ...set("sensor.contract_tt", "7") },
      ws({ type: "subscribe_trigger", trigger: { platform: "template", value_template: "{{ broken" } }),
      remove("/api/states/sensor.contract_tt"),
    ],
  },
  {
    name: "triggers: time_pattern",
    steps: [
      ws({ type: "subscribe_trigger", trigger: { platform: "time_pattern", seconds: "/1" } }, 1),
      ws({ type: "unsubscribe_events", subscription: 1 }),
    ],
  },
  {
    name: "triggers that are rejected",
    steps: [
      ws({ type: "subscribe_trigger", trigger: { platform: "time_pattern", seconds: "/x" } }),
      ws({ type: "subscribe_trigger", trigger: { platform: "time_pattern", hours: 24 } }),
      ws({ type: "subscribe_trigger", trigger: { platform: "time_pattern" } }),
      ws({ type: "subscribe_trigger", trigger: { platform: "nothing" } }),
      ws({ type: "subscribe_trigger", trigger: {} }),
      ws({ type: "subscribe_trigger", trigger: { platform: "state", entity_id: "bad id" } }),
      ws({ type: "subscribe_trigger" }),
    ],
  },
  {
    name: "triggers: state",
    steps: [
      set("sensor.contract_s", "1", { a: 1 }),
      ws({ type: "subscribe_trigger", trigger: { platform: "state", entity_id: "sensor.contract_s", to: "2" } }),
      { ...set("sensor.contract_s", "2", { a: 1 }), events: 1 },
      remove("/api/states/sensor.contract_s"),
    ],
  },
  {
    name: "validate_config",
    steps: [
      ws({ type: "validate_config" }),
      ws({ type: "validate_config", triggers: { platform: "state", entity_id: "sensor.a" } }),
      ws({
        type: "validate_config",
        triggers: [{ platform: "nothing" }],
        conditions: { condition: "state", entity_id: "sensor.a", state: "on" },
      }),
      ws({
        type: "validate_config",
        actions: [{ action: "input_boolean.turn_on", target: { entity_id: "input_boolean.guests" } }],
      }),
      ws({ type: "validate_config", conditions: { condition: "nothing" } }),
      ws({ type: "validate_config", actions: [{ nothing: 1 }] }),
      ws({ type: "validate_config", conditions: "{{ true }}" }),
    ],
  },
  {
    name: "extract_from_target",
    steps: [
      ws({ type: "extract_from_target", target: { entity_id: "input_boolean.guests" } }),
      ws({
        type: "extract_from_target",
        target: { area_id: "nowhere", device_id: ["nothing"], label_id: "l", floor_id: "f" },
      }),
      ws({ type: "extract_from_target", target: {} }),
      ws({ type: "extract_from_target" }),
      ws({ type: "extract_from_target", target: { entity_id: "bad id" } }),
    ],
  },
  {
    name: "registries one by one",
    steps: [
      ws({ type: "config/entity_registry/get", entity_id: "sensor.contract_nothing" }),
      ws({ type: "config/entity_registry/get" }),
      ws({ type: "config/entity_registry/get_entries", entity_ids: ["sensor.contract_nothing"] }),
      ws({ type: "entity/source", extra: 1 }),
      ws({ type: "manifest/get", integration: "nothing" }),
    ],
  },
  {
    name: "history over the WebSocket",
    steps: [
      ws({ type: "history/history_during_period", start_time: "nonsense", entity_ids: ["sensor.contract_h"] }),
      ws({
        type: "history/history_during_period",
        start_time: "2026-01-01T00:00:00+00:00",
        end_time: "nonsense",
        entity_ids: ["sensor.contract_h"],
      }),
      ws({
        type: "history/history_during_period",
        start_time: "2036-01-01T00:00:00+00:00",
        entity_ids: ["sensor.contract_h"],
      }),
      ws({ type: "history/history_during_period", start_time: "2026-01-01T00:00:00+00:00" }),
      ws({ type: "history/stream", start_time: "nonsense", entity_ids: ["sensor.contract_h"] }),
      ws({ type: "history/stream", start_time: "2036-01-01T00:00:00+00:00", entity_ids: ["sensor.contract_h"] }),
      ws({
        type: "history/stream",
        start_time: "2026-01-02T00:00:00+00:00",
        end_time: "2026-01-01T00:00:00+00:00",
        entity_ids: ["sensor.contract_h"],
      }),
      ws({ type: "history/stream", start_time: "2026-01-01T00:00:00+00:00", entity_ids: ["bad id"] }),
      ws({ type: "logbook/get_events", start_time: "nonsense" }),
      ws({ type: "logbook/get_events", start_time: "2036-01-01T00:00:00+00:00" }),
      ws({ type: "logbook/event_stream", start_time: "nonsense" }),
    ],
  },
]

export const cases: ReadonlyArray<Case> = [...restCases, ...templateCases, ...socketCases]
