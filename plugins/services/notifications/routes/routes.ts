// Routes for rules, targets, deliveries and test messages.
import {
  isPlayheadError,
  isTimeZone,
  oneOf,
  optionalBody,
  PlayheadError,
  type PluginApp,
  type PluginContext,
  Type,
} from '@playhead/sdk'
import { randomBytes } from 'node:crypto'
import { KNOWN_EVENTS } from '../events/known.ts'
import type { Parts } from '../parts.ts'
import type { Delivery, State } from '../queue/store.ts'
import { STATES } from '../queue/store.ts'
import type { StoredNotice } from '../queue/message.ts'
import { MAX_RULES, type NotificationSettings, type Rule, RULE_FIELDS } from '../settings.ts'
import type { ListedTarget } from '../targets.ts'
import {
  EntryAnswer,
  LogAnswer,
  OverviewAnswer,
  RemovedAnswer,
  RuleAnswer,
  RulesAnswer,
  TargetAnswer,
  TargetsAnswer,
  TestAnswer,
} from './answers.ts'

const Id = Type.String({ minLength: 1, maxLength: 80 })
const Params = Type.Object({ id: Id })
const TargetBody = Type.Object(
  {
    id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 80, description: 'Id of the target to change; absent for a new target.' }),
    ),
    notifier: Id,
    name: Type.String({ minLength: 1, maxLength: 60 }),
    enabled: Type.Boolean({ default: true }),
    settings: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'NotificationTargetRequest' },
)
const RuleBody = Type.Object(
  {
    id: Type.Optional(
      Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: 'Id of the rule to change; absent for a new rule.' }),
    ),
    ...RULE_FIELDS,
  },
  { title: 'NotificationRuleRequest' },
)
const TestBody = Type.Object({ target: Id })
const LogQuery = Type.Object({
  state: Type.Optional(oneOf(STATES)),
  target: Type.Optional(Id),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
  limit: Type.Integer({ default: 50, minimum: 1, maximum: 200 }),
})

type OfId = { Params: { id: string } }

export function registerRoutes(app: PluginApp<NotificationSettings>, parts: Parts): void {
  const ctx = app.playhead as unknown as PluginContext<NotificationSettings>
  const { queue, targets, worker } = parts
  const schema = (summary: string, answer: object, more: object = {}) => ({
    schema: { summary, ...more, response: { 200: answer } },
  })

  app.get(
    '/api/notifications',
    schema('Notifiers, targets, rules, and the events that rules can use', OverviewAnswer),
    async () => ({
      ok: true,
      notifiers: (await targets.notifiers()).map(
        ({ description: { id, label, hint = null, mark = null, fixed = false, settings } }) => ({
          id,
          label,
          hint,
          mark,
          fixed,
          settings,
        }),
      ),
      events: Object.entries(KNOWN_EVENTS).map(([id, label]) => ({ id, label })),
      targets: (await targets.list()).map(shownTarget),
      rules: parts.rules(),
      counts: await queue.counts(),
    }),
  )

  app.get('/api/notifications/targets', schema('The targets of all notifiers', TargetsAnswer), async () => ({
    ok: true,
    targets: (await targets.list()).map(shownTarget),
  }))

  app.post<{
    Body: { id?: string; notifier: string; name: string; enabled: boolean; settings: Record<string, unknown> }
  }>(
    '/api/notifications/targets',
    schema('Creates or changes a target', TargetAnswer, { body: TargetBody }),
    async ({ body }) => {
      let id: string
      try {
        id = await targets.save(body)
      } catch (error) {
        throw asInput(error, body.id)
      }
      // The target is saved even if its notifier does not list it yet. Its settings are omitted, because they may be secrets.
      const saved = { ...body, id, settings: {} }
      return { ok: true, target: shownTarget((await targets.findSaved(id)) ?? saved) }
    },
  )

  app.delete<OfId>(
    '/api/notifications/targets/:id',
    schema('Removes a target with its secrets, unless a rule names it', RemovedAnswer, { params: Params }),
    async ({ params: { id } }) => {
      const using = parts.rules().filter((rule) => rule.targets.includes(id))
      if (using.length > 0)
        throw new PlayheadError('PLH_CONFLICT', `It is used by ${using.map(({ name }) => `"${name}"`).join(', ')}.`, {
          wire: 'target_in_use',
          details: { rules: using.map((rule) => rule.id) },
        })
      await targets.remove(id)
      return { ok: true, id }
    },
  )

  app.get('/api/notifications/rules', schema('The rules', RulesAnswer), async () => ({
    ok: true,
    rules: parts.rules(),
  }))

  app.post<{ Body: Omit<Rule, 'id'> & { readonly id?: string } }>(
    '/api/notifications/rules',
    schema('Creates or changes a rule', RuleAnswer, { body: RuleBody }),
    async ({ body }) => {
      const rule = { ...body, id: body.id ?? randomBytes(5).toString('hex') }
      await checkRule(rule, parts)
      await ctx.updateConfig((section) => {
        const rules = (section['rules'] ?? []) as readonly Rule[]
        const isKnown = rules.some(({ id }) => id === rule.id)
        if (body.id !== undefined && !isKnown) throw noRule()
        if (!isKnown && rules.length >= MAX_RULES)
          throw new PlayheadError('PLH_CONFLICT', `There are ${MAX_RULES} rules already.`, { wire: 'too_many_rules' })
        return { rules: isKnown ? rules.map((one) => (one.id === rule.id ? rule : one)) : [...rules, rule] }
      })
      return { ok: true, rule }
    },
  )

  app.delete<OfId>(
    '/api/notifications/rules/:id',
    schema('Removes a rule', RemovedAnswer, { params: Params }),
    async ({ params: { id } }) => {
      await ctx.updateConfig((section) => {
        const rules = (section['rules'] ?? []) as readonly Rule[]
        if (!rules.some((rule) => rule.id === id)) throw noRule()
        return { rules: rules.filter((rule) => rule.id !== id) }
      })
      return { ok: true, id }
    },
  )

  app.post<{ Body: { target: string } }>(
    '/api/notifications/test',
    schema('Sends a test message to a target, now', TestAnswer, { body: TestBody }),
    async ({ body: { target } }) => {
      const { id, state, reason } = await parts.test(target)
      return { ok: state === 'sent', id, error: state === 'sent' ? null : (reason ?? 'interrupted') }
    },
  )

  app.get<{ Querystring: { state?: State; target?: string; offset: number; limit: number } }>(
    '/api/notifications/log',
    schema('What was sent, waits or failed, newest first', LogAnswer, { querystring: LogQuery }),
    async ({ query }) => {
      const { items, total } = await queue.list(query)
      return { ok: true, total, offset: query.offset, limit: query.limit, items: items.map(shownEntry) }
    },
  )

  app.post<OfId>(
    '/api/notifications/log/:id/retry',
    schema('Sends again what failed', EntryAnswer, { params: Params, body: optionalBody(Type.Object({})) }),
    async ({ params: { id } }) => {
      if ((await queue.get(id)) === undefined)
        throw new PlayheadError('PLH_NOT_FOUND', 'This entry does not exist.', { wire: 'entry_not_found' })
      if (!(await queue.retry(id)))
        throw new PlayheadError('PLH_CONFLICT', 'The message did not fail, so it is not sent again.', {
          wire: 'not_failed',
        })
      const entry = await queue.entry(id)
      await worker.run()
      return { ok: true, entry: shownEntry(entry!) }
    },
  )
}

async function checkRule(rule: Rule, { targets, rules }: Parts): Promise<void> {
  const problems: { loc: string[]; msg: string; type: string }[] = []
  const wrong = (loc: string[], msg: string) => problems.push({ loc: ['body', ...loc], msg, type: 'value_error' })
  if (rule.time_zone !== '' && !isTimeZone(rule.time_zone))
    wrong(['time_zone'], 'This time zone does not exist. Enter it like Europe/Paris.')
  if (rule.quiet.enabled && rule.quiet.from === rule.quiet.to)
    wrong(['quiet', 'to'], 'The quiet hours would never end.')
  const known = new Set([
    ...(await targets.list()).map(({ id }) => id),
    // An existing event of the rule may belong to a plugin that is currently disabled.
    ...(rules().find(({ id }) => id === rule.id)?.targets ?? []),
  ])
  for (const [index, id] of rule.targets.entries())
    if (!known.has(id)) wrong(['targets', String(index)], 'This channel does not exist.')
  if (problems.length > 0) throw unprocessable(problems)
}

/** Converts errors of settings to errors of the request. */
function asInput(error: unknown, id: string | undefined): unknown {
  if (!isPlayheadError(error, 'PLH_CONFIG_INVALID')) return error
  const problems = (error.details?.['problems'] ?? []) as readonly {
    loc: readonly (string | number)[]
    msg: string
    type: string
  }[]
  return unprocessable(
    problems.map(({ loc, msg, type }) => {
      const at = loc.indexOf('instances')
      const own = at < 0 ? loc : loc.slice(at + 2)
      return { loc: ['body', 'settings', ...own.filter((part) => part !== id).map(String)], msg, type }
    }),
  )
}

function unprocessable(detail: readonly object[]): PlayheadError {
  return new PlayheadError('PLH_CONFIG_INVALID', 'The request is not valid.', { details: { detail } })
}

function noRule(): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', 'This rule does not exist.', { wire: 'rule_not_found' })
}

function shownTarget({ id, notifier, name, enabled, settings }: ListedTarget) {
  return { id, notifier, name, enabled, settings }
}

function shownEntry(entry: {
  readonly delivery: Delivery
  readonly notices: readonly StoredNotice[]
  readonly total: number
}) {
  const { delivery, notices, total } = entry
  return {
    id: delivery.id,
    state: delivery.state,
    target: delivery.target,
    target_name: delivery.targetName,
    rule: delivery.rule,
    rule_name: delivery.ruleName,
    created_at: delivery.createdAtMs,
    due_at: delivery.dueAtMs,
    ended_at: delivery.endedAtMs,
    attempts: delivery.attempts,
    may_be_repeat: delivery.isRepeat,
    reason: delivery.reason,
    count: total,
    messages: notices.map(({ event, title, text, severity, atMs }) => ({ event, title, text, severity, at: atMs })),
  }
}
