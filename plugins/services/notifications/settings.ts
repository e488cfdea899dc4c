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
    description: 'The events to send, from GET /api/notifications or from plugins.',
  }),
  targets: Type.Array(Type.String({ maxLength: 80 }), { minItems: 1, maxItems: 20, description: 'IDs of channels.' }),
  down_minutes: Type.Integer({
    default: 15,
    minimum: 0,
    maximum: 10_080,
    description: 'For service_down: how long the service must be unreachable.',
  }),
  group_minutes: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_440,
    description: 'The first message waits this long, and later messages are added to it.',
  }),
  max_per_hour: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 1_000,
    description: 'The most messages to each channel, retries included. The rest is sent later as one message.',
  }),
  time_zone: Type.String({
    default: '',
    maxLength: 64,
    description: 'For example Europe/Paris. Leave empty to use the time zone of the server.',
  }),
  quiet: Type.Object(
    {
      enabled: Type.Boolean({ default: false }),
      from: Type.String({ default: '22:00', pattern: TIME }),
      to: Type.String({ default: '07:00', pattern: TIME }),
      days: Type.Array(Weekday, {
        default: [],
        maxItems: 7,
        description: 'The days on which quiet hours start. Leave empty for every day.',
      }),
      except_errors: Type.Boolean({ default: false, description: 'Errors are also sent during quiet hours.' }),
    },
    { default: {} },
  ),
  digest: Type.Object(
    {
      weekday: Type.Integer({ default: 1, minimum: 1, maximum: 7 }),
      at: Type.String({ default: '09:00', pattern: TIME }),
    },
    { default: {}, description: 'For weekly_digest: when it is sent, in the time zone of the rule.' },
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
