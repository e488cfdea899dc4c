import { oneOf, orNull, ShownMark, Type } from '@playhead/sdk'
import { STATES } from '../queue/store.ts'
import { RuleSettings } from '../settings.ts'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Time = Type.Integer({ description: 'Epoch milliseconds.' })
const open = { additionalProperties: true }

const Target = Type.Object(
  {
    id: Text,
    notifier: Text,
    name: Text,
    enabled: Type.Boolean(),
    settings: Type.Record(Text, Type.Unknown(), {
      description: 'Secrets are masked; a mask that is sent back keeps them.',
    }),
  },
  { title: 'NotificationTarget' },
)
const Notifier = Type.Object({
  id: Text,
  label: Text,
  hint: orNull(Text),
  mark: orNull(ShownMark),
  fixed: Type.Boolean({ description: 'Its targets come from the settings of another plugin.' }),
  settings: Type.Object({}, { ...open, description: 'JSON schema of the settings of a target.' }),
})
export const OverviewAnswer = Type.Object({
  ok: Type.Boolean(),
  notifiers: Type.Array(Notifier),
  events: Type.Array(Type.Object({ id: Text, label: Text })),
  targets: Type.Array(Target),
  rules: Type.Array(RuleSettings),
  counts: Type.Object(Object.fromEntries(STATES.map((state) => [state, Count]))),
})
export const TargetsAnswer = Type.Object({ ok: Type.Boolean(), targets: Type.Array(Target) })
export const TargetAnswer = Type.Object({ ok: Type.Boolean(), target: Target })
export const RulesAnswer = Type.Object({ ok: Type.Boolean(), rules: Type.Array(RuleSettings) })
export const RuleAnswer = Type.Object({ ok: Type.Boolean(), rule: RuleSettings })
export const RemovedAnswer = Type.Object({ ok: Type.Boolean(), id: Text })
const LogEntry = Type.Object(
  {
    id: Text,
    state: oneOf(STATES),
    target: Text,
    target_name: Text,
    rule: orNull(Text),
    rule_name: orNull(Text),
    created_at: Time,
    due_at: Time,
    ended_at: orNull(Time),
    attempts: Count,
    may_be_repeat: Type.Boolean({ description: 'An earlier try may have arrived.' }),
    reason: orNull(Type.String({ description: 'Why it waits or failed.' })),
    count: Type.Integer({ description: 'The number of its messages; `messages` has the first of them.' }),
    messages: Type.Array(
      Type.Object(
        { event: Text, title: Text, text: Text, severity: Text, at: Time },
        { description: 'The most severe first.' },
      ),
    ),
  },
  { title: 'NotificationDelivery' },
)
export const LogAnswer = Type.Object({
  ok: Type.Boolean(),
  total: Count,
  offset: Count,
  limit: Count,
  items: Type.Array(LogEntry),
})
export const EntryAnswer = Type.Object({ ok: Type.Boolean(), entry: LogEntry })
export const TestAnswer = Type.Object({
  ok: Type.Boolean({ description: 'The service took the message.' }),
  id: Text,
  error: orNull(Type.String({ description: 'Why it did not arrive, as in the log.' })),
})
