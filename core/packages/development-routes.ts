// The API of `plugin dev --url`: an author sends a version, it becomes live, and the previous one returns at the end.
import {
  callerName,
  optionalBody,
  orNull,
  PlayheadError,
  readUploads,
  Type,
  uploadedFile,
  UPLOADED_FILE,
  type Caller,
} from '@playhead/sdk'
import type { FastifyInstance } from 'fastify'
import { WAITING_CODES } from '../host/compose/slot.ts'
import type { PluginHost } from '../host/host.ts'
import { PluginSummary } from '../host/show/plugin-schemas.ts'
import { describeAsks } from './asks.ts'
import type { DevelopmentVersion } from './development.ts'
import { MAX_TARBALL_BYTES } from './npm-registry.ts'
import { told } from './routes.ts'

const access = { auth: 'S', scope: 'admin' } as const
const tags = ['Plugins']
const PATH = '/api/plugin-development'
const Text = Type.String()
const Params = Type.Object({ id: Type.String({ maxLength: 64 }) })
/** Reasons that a person can resolve while the version is registered: its settings, or another plugin. */
const KEPT_CODES: ReadonlySet<string> = new Set([...WAITING_CODES, 'PLH_CONFIG_INVALID', 'PLH_NOT_READY'])
const Version = Type.Object({
  id: Text,
  version: Text,
  sent_at: Type.Integer({ description: 'Epoch milliseconds.' }),
  ends_at: orNull(
    Type.Integer({ description: 'Epoch milliseconds: what was there before returns then, unless it is kept.' }),
  ),
  stands_in: Type.Boolean({ description: 'For a plugin that returns at the end.' }),
  switched_off: Type.Array(Text, { description: 'Plugins that are switched on again at the end.' }),
  plugin: orNull(PluginSummary),
})

export async function developmentRoutes(app: FastifyInstance, { host }: { readonly host: PluginHost }): Promise<void> {
  const { development } = host
  const shown = (id: string) => host.list().find((one) => one.id === id) ?? null
  const bodyOf = ({ id, version, sentAtMs, endsAtMs, standsIn, switchedOff }: DevelopmentVersion) => ({
    id,
    version,
    sent_at: sentAtMs,
    ends_at: endsAtMs,
    stands_in: standsIn,
    switched_off: [...switchedOff],
    plugin: shown(id),
  })

  app.get(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Versions that authors sent to work on them',
        response: { 200: Type.Object({ ok: Type.Boolean(), versions: Type.Array(Version) }) },
      },
    },
    async () => ({ ok: true, versions: (await development.list()).map(bodyOf) }),
  )

  readUploads(app, { [PATH]: { maxBytes: MAX_TARBALL_BYTES } })
  app.post(
    PATH,
    {
      config: { access },
      // Checked before the body is read.
      onRequest: async ({ caller }) => void byToken(caller),
      schema: {
        tags,
        summary: 'Runs a version of a plugin that its author works on',
        description:
          'The part `file` is a package as `plugin pack` makes it, at most 20 MiB. Only an API token with the scope admin may send one. It is checked as a package from npm is, and runs on a thread of its own. A version that asks for more than was accepted is not run: the answer says what it asks for, and it is sent again with `accept`. If it does not start, what was live stays live. What the plugin was before returns with DELETE, when `lease_s` pass without `…/keep`, and at the next start of the service.',
        takes: UPLOADED_FILE,
        body: Type.Object({}, { additionalProperties: true }),
        querystring: Type.Object({
          replace: Type.Boolean({
            default: false,
            description: 'Stand in for a plugin of the same id, and switch off those that provide the same.',
          }),
          accept: Type.Optional(
            Type.String({
              maxLength: 200,
              description: '`sha512` of the review: what this version asks for is accepted.',
            }),
          ),
          lease_s: Type.Integer({
            default: 60,
            minimum: 2,
            maximum: 3_600,
            description: 'It ends if it is neither kept nor sent again for so many seconds.',
          }),
        }),
        response: {
          200: Type.Object({
            ok: Type.Boolean({ description: 'It is live.' }),
            id: Text,
            version: Text,
            sha512: Text,
            state: Type.Union(
              [Type.Literal('live'), Type.Literal('waiting'), Type.Literal('review'), Type.Literal('failed')],
              {
                description:
                  'live: it runs. waiting: it is registered, and waits for settings or another plugin. review: it asks for something that was not accepted. failed: it did not start, and nothing was changed.',
              },
            ),
            asks: Type.Array(Text, { description: 'What it asks for, in words.' }),
            new_asks: Type.Array(Text, { description: 'What of it was not accepted yet, in words.' }),
            switched_off: Type.Array(Text),
            error: orNull(Type.Object({ message: Text, file: orNull(Text), line: orNull(Type.Integer()) })),
            plugin: orNull(PluginSummary),
          }),
        },
      },
    },
    (request) =>
      told(async () => {
        const by = byToken(request.caller)
        const {
          replace,
          accept = null,
          lease_s,
        } = request.query as { replace: boolean; accept?: string; lease_s: number }
        let error: { message: string; file: string | null; line: number | null } | null = null
        const sent = await development.send({
          tarball: Buffer.from(uploadedFile(request)),
          replace,
          accept,
          leaseMs: lease_s * 1_000,
          by,
          async judge(id) {
            const found = shown(id)
            const why = found?.last_error ?? null
            if (found !== null && why === null && (found.state === 'active' || found.state === 'dormant')) return null
            const { message, file, line } = why ?? {
              message: `It is ${found?.state ?? 'unknown'}.`,
              file: null,
              line: null,
            }
            error = { message, file, line }
            return found?.state !== 'active' && KEPT_CODES.has(why?.code ?? '') ? null : message
          },
        })
        const { id, version } = sent.manifest
        const isReview = sent.newAsks.length > 0
        const state = isReview ? 'review' : !sent.isKept ? 'failed' : error === null ? 'live' : 'waiting'
        return {
          ok: state === 'live',
          id,
          version,
          sha512: sent.sha512,
          state,
          asks: [...describeAsks(sent.asks)],
          new_asks: isReview ? newIn(sent.newAsks) : [],
          switched_off: [...sent.switchedOff],
          error,
          plugin: shown(id),
        }
      }),
  )

  app.post(
    `${PATH}/:id/keep`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Says that the author of a version is there',
        params: Params,
        body: optionalBody(Type.Object({}, { additionalProperties: true })),
        response: { 200: Type.Object({ ok: Type.Boolean(), development: Version }) },
      },
    },
    (request) =>
      told(async () => {
        byToken(request.caller)
        return { ok: true, development: bodyOf(await development.keep((request.params as { id: string }).id)) }
      }),
  )

  app.delete(
    `${PATH}/:id`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Ends the work on a plugin; what was there before returns',
        params: Params,
        response: { 200: Type.Object({ ok: Type.Boolean(), plugin: orNull(PluginSummary) }) },
      },
    },
    (request) =>
      told(async () => {
        const { id } = request.params as { id: string }
        await development.end(id, callerName(request.caller) ?? 'anonymous')
        return { ok: true, plugin: shown(id) }
      }),
  )
}

/** A page of another plugin could use a browser's session; a token is entered at a command line. */
function byToken(caller: Caller): string {
  const name = callerName(caller)
  if (name !== null && caller.token?.scope === 'admin') return name
  throw new PlayheadError('PLH_FORBIDDEN', 'Only an API token with the scope "admin" may send versions of plugins.', {
    wire: 'admin_token_needed',
  })
}

/** Without the line about hosts, unless hosts are new. */
function newIn(asks: readonly string[]): string[] {
  return describeAsks(asks).slice(asks.some((ask) => ask.startsWith('host ')) ? 0 : 1)
}
