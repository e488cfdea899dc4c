// defineNotifier: builds a plugin from the settings of a target and a function that sends one message.
import { type Static, type TObject, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { PluginContext } from '../context.ts'
import type { Logger } from '../logger.ts'
import { defined } from '../defined.ts'
import { type DefinedPlugin, definePlugin } from '../define.ts'
import { isPlayheadError, PlayheadError } from '../errors.ts'
import { isMasked, isSecretPath, MASK, maskSecrets } from '../secrets.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../upstream.ts'
import { type NotificationMessage, type NotifierDescription, NOTIFIERS, type NotifierTarget } from './contract.ts'

export type NotifierRequest = Pick<UpstreamRequest, 'method' | 'headers' | 'json' | 'form' | 'body' | 'accept'>

/** One message for one target. */
export interface NotifierDelivery<Settings> {
  readonly target: { readonly id: string; readonly name: string }
  /** The settings with defaults and secrets. */
  readonly settings: Settings
  readonly message: NotificationMessage
  readonly signal: AbortSignal
  readonly log: Logger
  /**
   * Sends one request to an address (scheme, host, path and query), POST by default, within 20 seconds. The address and
   * all secrets of the settings stay out of logs and errors. Its host must be among `needs.hosts`, for example
   * `config:server` for the setting `server`. Errors are those of `UpstreamAccount.request`.
   */
  request(address: string, request?: NotifierRequest): Promise<UpstreamAnswer>
}

export interface NotifierDefinition<Schema extends TObject = TObject> {
  /** As in `provides` of plugin.json: `notifier:<id>`. */
  readonly id: string
  /** The name that people know. Default: the name of the plugin. */
  readonly label?: string
  /** Where people find the values for the settings. */
  readonly hint?: string
  /**
   * Settings of one target; the kit adds `name` and `enabled`. Mark secrets with `secret: true`, and with
   * `boundTo: '<setting>'` if they belong to an address.
   */
  readonly settings: Schema
  /** Checks beyond the schema: returns a sentence for people, or undefined. */
  readonly check?: (settings: Static<Schema>) => string | undefined
  /** Sends one message, once. Resolves when the service has it, throws otherwise. */
  readonly send: (delivery: NotifierDelivery<Static<Schema>>) => Promise<unknown>
}

type Stored = Readonly<Record<string, unknown>> & { readonly name: string; readonly enabled: boolean }

const REQUEST_MS = 20_000
const MAX_TARGETS = 50

/**
 * Declares a notifier. plugin.json has `"kind": "notifier"` and `"provides": ["notifier:<id>"]`. It is offered as soon as
 * the plugin runs.
 *
 * @example
 * export default defineNotifier({
 *   id: 'shout',
 *   settings: Type.Object({ server: Type.String(), key: Type.String({ secret: true, boundTo: 'server' }) }),
 *   send: ({ settings, message, request }) =>
 *     request(`${settings.server}/shout`, { headers: { 'x-key': settings.key }, json: { text: message.title } }),
 * })
 */
export function defineNotifier<Schema extends TObject>(notifier: NotifierDefinition<Schema>): DefinedPlugin {
  const { id: notifierId, settings, hint } = notifier
  for (const name of ['name', 'enabled']) {
    if (Object.hasOwn(settings.properties, name))
      throw new TypeError(`The settings of a notifier cannot have the key "${name}"; the kit adds it.`)
  }
  const secretKeys = Object.entries(settings.properties)
    .filter(([key, property]) => property['secret'] === true || isSecretPath([key]))
    .map(([key]) => key)
  const entry = Type.Object(
    {
      ...settings.properties,
      name: Type.String({ minLength: 1, maxLength: 60 }),
      enabled: Type.Boolean({ default: true }),
    },
    { additionalProperties: true },
  )
  const config = Type.Object({
    instances: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{1,79}$' }), entry, {
      default: {},
      maxProperties: MAX_TARGETS,
      description: 'Targets, by id.',
    }),
  })

  const problemOf = (wanted: Readonly<Record<string, unknown>>): string | undefined => {
    try {
      return notifier.check?.(wanted as Static<Schema>)
    } catch {
      // A value of the wrong type; the schema reports it.
      return undefined
    }
  }

  return definePlugin({
    config,
    setup(context) {
      const ctx = context as unknown as PluginContext<{ readonly instances: Readonly<Record<string, Stored>> }>
      // Each message reads the settings of its target.
      ctx.onConfigChange(() => {})
      const stored = (id: string): Stored | undefined => {
        const found = Object.hasOwn(ctx.config.instances, id) ? ctx.config.instances[id] : undefined
        return found === undefined ? undefined : (Value.Default(entry, structuredClone(found)) as Stored)
      }
      const describe = (): NotifierDescription => ({
        id: notifierId,
        label: notifier.label ?? ctx.manifest.name,
        ...defined({ hint, mark: ctx.manifest.mark }),
        settings: JSON.parse(JSON.stringify(settings)) as Readonly<Record<string, unknown>>,
      })
      const targets = (): readonly NotifierTarget[] =>
        Object.keys(ctx.config.instances).map((id) => {
          const { name, enabled, ...own } = stored(id) as Stored
          return { id, name, enabled, settings: maskSecrets(own, ([key]) => secretKeys.includes(String(key))) }
        })

      ctx.provide(
        NOTIFIERS.of(notifierId),
        {
          describe,
          targets,
          async save({ id, name, enabled, settings: given }) {
            const unknown = Object.keys(given).find((key) => !Object.hasOwn(settings.properties, key))
            if (unknown !== undefined) throw invalid(unknown, `There is no setting "${unknown}".`)
            const before = stored(id)
            const wanted = Value.Default(settings, { ...given }) as Record<string, unknown>
            for (const key of secretKeys) {
              if (!isMasked(wanted[key])) continue
              const kept = before?.[key]
              const address = settings.properties[key]?.['boundTo'] as string | undefined
              if (kept === undefined || kept === '') {
                const isNeeded =
                  settings.properties[key]?.['default'] === undefined && settings.required?.includes(key) === true
                if (isNeeded || (wanted[key] !== undefined && wanted[key] !== '')) throw invalid(key, 'Enter it.')
                continue
              }
              // An empty text deletes an optional secret.
              if (wanted[key] === '' && settings.properties[key]?.['default'] === '') continue
              if (address !== undefined && originOf(before?.[address]) !== originOf(wanted[address]))
                throw invalid(key, 'The address changed. Enter it again.')
              wanted[key] = kept
            }
            const problem = problemOf(wanted)
            if (problem !== undefined) throw invalid('settings', problem)
            await ctx.updateConfig((section) => {
              const others = (section['instances'] ?? {}) as Readonly<Record<string, unknown>>
              if (!Object.hasOwn(others, id) && Object.keys(others).length >= MAX_TARGETS)
                throw new PlayheadError('PLH_CONFLICT', `There are ${MAX_TARGETS} targets already.`, {
                  wire: 'too_many_targets',
                })
              return { instances: { [id]: { ...wanted, name, enabled } } }
            })
          },
          async remove(id) {
            if (stored(id) === undefined) return false
            await ctx.updateConfig({ instances: { [id]: undefined } })
            return true
          },
          async send(id, message, signal) {
            const found = stored(id)
            if (found === undefined)
              throw new PlayheadError('PLH_NOT_FOUND', 'The target was removed.', { wire: 'target_not_found' })
            const { name, enabled: _enabled, ...own } = found
            const secrets = secretKeys.flatMap((key) => textsIn(own[key]))
            try {
              await notifier.send({
                target: { id, name },
                settings: own as Static<Schema>,
                message,
                signal,
                log: ctx.log,
                request: (address, request = {}) => requestTo(ctx, id, secrets, address, { ...request, signal }),
              })
            } catch (error) {
              throw withoutSecrets(error, secrets)
            }
          },
        },
        { whileDormant: ['describe', 'targets'] },
      )
    },
  })
}

async function requestTo(
  ctx: Pick<PluginContext, 'id' | 'upstream'>,
  targetId: string,
  secrets: readonly string[],
  address: string,
  request: NotifierRequest & { readonly signal: AbortSignal },
): Promise<UpstreamAnswer> {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new PlayheadError('PLH_INVALID', 'The address is not valid. It must start with https:// or http://.', {
      wire: 'invalid_address',
    })
  // The request does not send these; they are named to redact them from logs and errors.
  const hidden = Object.fromEntries(
    [...secrets, url.pathname.slice(1), decodeURIComponentOf(url.pathname.slice(1)), url.search.slice(1)]
      .filter((text) => text !== '')
      .map((text, index) => [`secret${index}`, text]),
  )
  const account = ctx.upstream.account({
    account: `${ctx.id}@${targetId}`,
    baseUrl: url.origin,
    timeoutMs: REQUEST_MS,
    // The queue repeats the message and marks it as a possible repeat.
    tries: 1,
    maxBytes: 1 << 20,
    limits: { concurrency: 1 },
    credential: { secrets: () => hidden, place: [] },
  })
  const names = [...new Set(url.searchParams.keys())]
  const answer = await account.request({
    method: 'POST',
    ...request,
    path: url.pathname,
    query: Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)])),
  })
  // Read the body to its end, so that the connection can be reused.
  await answer.text().catch(() => '')
  return answer
}

function decodeURIComponentOf(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function invalid(key: string, message: string): PlayheadError {
  return new PlayheadError('PLH_CONFIG_INVALID', `${key}: ${message}`, {
    details: { problems: [{ loc: [key], msg: message, type: 'value_error' }] },
  })
}

function originOf(address: unknown): string {
  const text = typeof address === 'string' ? address.trim() : ''
  return URL.parse(text.includes('://') ? text : `http://${text}`)?.origin ?? text
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn)
  return []
}

function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof Error) && !isPlayheadError(error)) return new Error('The notifier failed.')
  const hide = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), text)
  const one = error as Error
  if (hide(one.message) !== one.message) one.message = hide(one.message)
  if (one.stack !== undefined && hide(one.stack) !== one.stack) one.stack = hide(one.stack)
  return one
}
