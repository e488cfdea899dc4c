// Settings of the notifications: the rules.
import { type Static, Type } from '@playhead/sdk'

const TIME = '^([01]\\d|2[0-3]):[0-5]\\d$'
const Weekday = Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday.' })

export const RULE_FIELDS = {
  name: Type.String({ minLength: 1, maxLength: 60 }),
  enabled: Type.Boolean({ default: true }),
  events: Type.Array(Type.String({ pattern: '^[a-z][a-z0-9_.-]{0,63}$' }), {
    minItems: 1,
    maxItems: 50,
    description: 'The events to send: names from GET /api/notifications, or from plugins.',
  }),
  targets: Type.Array(Type.String({ maxLength: 80 }), { minItems: 1, maxItems: 20, description: 'Ids of targets.' }),
  down_minutes: Type.Integer({
    default: 15,
    minimum: 0,
    maximum: 10_080,
    description: 'service_down: only after it was away for so long.',
  }),
  group_minutes: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_440,
    description: 'Wait so long after the first message, and send what came as one.',
  }),
  max_per_hour: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 1_000,
    description: 'Messages to each target, tries included; the rest is sent later as one.',
  }),
  time_zone: Type.String({ default: '', maxLength: 64, description: 'IANA name; empty: the zone of the server.' }),
  quiet: Type.Object(
    {
      enabled: Type.Boolean({ default: false }),
      from: Type.String({ default: '22:00', pattern: TIME }),
      to: Type.String({ default: '07:00', pattern: TIME }),
      days: Type.Array(Weekday, { default: [], maxItems: 7, description: 'Days on which they begin; none: all.' }),
      except_errors: Type.Boolean({ default: false, description: 'Errors are sent at once.' }),
    },
    { default: {} },
  ),
  digest: Type.Object(
    {
      weekday: Type.Integer({ default: 1, minimum: 1, maximum: 7 }),
      at: Type.String({ default: '09:00', pattern: TIME }),
    },
    { default: {}, description: 'weekly_digest: when it is sent, in the time zone of the rule.' },
  ),
}

export const RuleSettings = Type.Object({ id: Type.String({ pattern: '^[a-z0-9-]{1,40}$' }), ...RULE_FIELDS })
export type Rule = Static<typeof RuleSettings>

export const MAX_RULES = 100

export const NotificationSettings = Type.Object({
  public_url: Type.String({
    default: '',
    pattern: '^(https?://[^\\s]+)?$',
    title: 'Playhead address',
    description: 'Links in messages open this address.',
  }),
  rules: Type.Array(RuleSettings, { default: [], maxItems: MAX_RULES, readOnly: true }),
})
export type NotificationSettings = Static<typeof NotificationSettings>
