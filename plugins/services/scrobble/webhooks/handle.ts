// Handles a webhook with a valid token: the provider parses it within a time limit, and the scrobbler decides.
import {
  isPlayheadError,
  type Logger,
  type PlaybackDecision,
  type PluginContext,
  type Provider,
  providerCapability,
  type Remote,
  type ScrobbleService,
  untilAborted,
  usableLimit,
  type WebhookAccess,
  type WebhookCall,
  type WebhookReport,
  withTimeLimit,
} from '@playhead/sdk'
import { type Answer, decided, ignored, internal, notReady } from './answer.ts'
import { describeDecision, describeReport } from './log-line.ts'

/** Time limit, because the sender waits for the response while the provider looks up missing data. */
const READ_LIMIT_MS = 2_000
const DECIDE_LIMIT_MS = 10_000
const OWN_HEADERS = /cookie|authorization|token|api-?key|^x-playhead-/

export interface Source {
  /** `mediaA` */
  readonly provider: string
  readonly purpose: WebhookCall['purpose']
}

interface Webhook {
  readonly payload: Readonly<Record<string, unknown>>
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly atMs: number
}

/** Checks tokens, and decides how reports are processed. */
export type Scrobbler = Pick<ScrobbleService, 'access' | 'play' | 'rate'>

type Access = Extract<WebhookAccess, { readonly ok: true }>

interface Handler {
  access(call: WebhookCall): Promise<WebhookAccess>
  /** Never throws. */
  handle(access: Access, source: Source, webhook: Webhook, isKept: boolean): Promise<Answer>
}

interface HandlerDependencies {
  readonly ctx: Pick<PluginContext, 'use'>
  readonly log: Logger
  readonly scrobble: Scrobbler
}

export function createHandler({ ctx, log, scrobble }: HandlerDependencies): Handler {
  // Reports of an account keep their order of arrival, although parsing takes varying time.
  const inLine = createLines()

  async function read(
    { provider, instance, needs }: Access,
    { purpose }: Source,
    webhook: Webhook,
  ): Promise<WebhookReport> {
    const { parseWebhook } = ctx.use(providerCapability(provider)) as Remote<Required<Pick<Provider, 'parseWebhook'>>>
    const request = {
      payload: webhook.payload,
      body: webhook.bytes,
      headers: headersOf(webhook),
      needs,
      ...(purpose === 'ratings' ? { purpose } : {}),
    }
    using limit = usableLimit(READ_LIMIT_MS)
    return await untilAborted(parseWebhook(instance, request, limit.signal), limit.signal)
  }

  async function decide(
    { provider, instance, scope }: Access,
    report: Exclude<WebhookReport, { readonly type: 'ignored' }>,
    receivedAtMs: number,
  ): Promise<PlaybackDecision> {
    const input = { provider, instance, scope, receivedAtMs }
    const work = report.type === 'rating' ? scrobble.rate({ ...input, report }) : scrobble.play({ ...input, report })
    return withTimeLimit(work, DECIDE_LIMIT_MS, () => new Error(`not decided within ${DECIDE_LIMIT_MS} ms`))
  }

  return {
    access: (call) => scrobble.access(call),

    async handle(access, source, webhook, isKept) {
      const { provider, instance } = access
      const startedAtMs = performance.now()
      const reading = read(access, source, webhook)
      // Handled in order of arrival.
      reading.catch(() => {})
      const facts = { provider, instance }
      let known: object = {}
      try {
        return await inLine(`${provider} ${instance}`, async () => {
          const report = await reading
          known = describeReport(report)
          const took = () => ({ ms: Math.round(performance.now() - startedAtMs) })
          if (report.type === 'ignored' || (source.purpose === 'ratings' && report.type !== 'rating')) {
            const reason = report.type === 'ignored' ? report.reason : 'unsupported_event'
            log.info({ ...facts, ...known, reason, ...took() }, 'webhook ignored')
            return ignored(reason)
          }
          const decision = await decide(access, report, webhook.atMs)
          const { text, fields, level } = describeDecision(report, decision)
          log[level]({ ...facts, ...known, ...fields, ...took() }, text)
          // Each further episode of the file is a separate play with its own error.
          for (const session of report.type === 'playback' ? (report.also ?? []) : []) {
            const further = { ...report, session } as typeof report
            const line = describeDecision(further, await decide(access, further, webhook.atMs))
            log[line.level]({ ...facts, ...describeReport(further), ...line.fields, ...took() }, line.text)
          }
          return decided(decision)
        })
      } catch (error) {
        return unhandled({ log, facts: { ...facts, ...known }, error, isKept })
      }
    },
  }
}

interface UnhandledWebhook {
  readonly log: Logger
  readonly facts: object
  readonly error: unknown
  /** The host stored the webhook and delivers it now. */
  readonly isKept: boolean
}

/** Stored webhooks are delivered again while a required plugin is unavailable. */
export function unhandled({ log, facts, error, isKept }: UnhandledWebhook): Answer {
  if (isKept && isPlayheadError(error, 'PLH_CAPABILITY_GONE')) {
    log.warn({ ...facts, err: error }, 'a kept webhook waits for a plugin')
    return notReady()
  }
  log.error({ ...facts, err: error }, 'a webhook was not handled; what it reports is lost')
  return internal()
}

/** Headers without cookies and credentials. */
function headersOf({ headers }: Webhook): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !OWN_HEADERS.test(name)) passed[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return passed
}

/** Serializes work by key: tasks of one key run one after another, in insertion order. */
function createLines(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
