// Builds a provider's capability from its kit and definition, with checks around every read, write and probe.
import type { Static, TObject } from '@sinclair/typebox'
import type { PluginContext } from '../context.ts'
import type { Logger } from '../logger.ts'
import { isPlayheadError, PlayheadError } from '../errors.ts'
import { usableLimit } from '../waiting.ts'
import { accountName } from '../capabilities/accounts.ts'
import type { AccountHealth, Provider, ProviderDescription } from './contract.ts'
import type { SignInDescription } from './sign-in/contract.ts'
import type { ReadPart, ReadRequest } from './reads/contract.ts'
import type { ProviderDefinition } from './define-contract.ts'
import { healthOfError, reasonText } from './failures.ts'
import type { Kit } from './kit.ts'
import { createListProvider } from './lists/list-operations.ts'
import type { ListProvider } from './lists/lists.ts'
import { checkReadRequest, checkedParts, checkedShows } from './reads/read-checks.ts'
import { createTitlePageProvider } from './pages.ts'
import { createPictureProvider } from './pictures.ts'
import { createPlaybackProvider, playbackSupport } from './playback/operations.ts'
import { lookAtContract } from './probes.ts'
import { canonicalId } from './profiles/profile-ids.ts'
import type { ProfileShape } from './profiles/profile-schema.ts'
import { untilCancelled, partsUntilCancelled, writeUntilCancelled } from './until-cancelled.ts'
import { shippedClientId } from './sign-in/oauth.ts'
import { isApplicationField, operationsOf } from './sign-in/sign-in-ways.ts'
import { cleanLabel } from './profiles/profiles.ts'
import { createHealthLog, loggedRead, loggedWrite } from './work-log.ts'
import { checkWriteRequest, dayRefusal, writeChecked } from './writes/write-checks.ts'
import { BEFORE_READ_MS, BEFORE_WRITE_MS, createActingUsers } from './users/act-as.ts'
import { defined } from '../defined.ts'

const PROBE_LIMIT_MS = 20_000

/** The object provided as `provider:<ID>`. */
export function providerOf<Schema extends TObject, Session>(
  kit: Kit<Static<Schema>, Session>,
  definition: ProviderDefinition<Schema, Session>,
  shape: ProfileShape,
): Provider & ListProvider {
  const { ctx, id, label, profiles, edits } = kit
  const { droppedShows, probes = [] } = definition
  const description = describe(ctx, definition)
  const logHealth = createHealthLog(ctx.log)
  const until = (signal: AbortSignal | undefined) =>
    signal === undefined ? ctx.signal : AbortSignal.any([ctx.signal, signal])

  const { ready, ...acting } = createActingUsers(kit, definition, until)
  const readable = (instance: string, signal: AbortSignal) => ready(instance, BEFORE_READ_MS, signal)
  const writable = (instance: string, signal: AbortSignal) => ready(instance, BEFORE_WRITE_MS, signal)

  /** `<ID>-WATCH` and `<ID>-SCROBBLE`, if plugin.json declares them. */
  function ownChannel(kind: 'WATCH' | 'SCROBBLE'): Logger {
    const tag = `${id}-${kind}`
    return ctx.manifest.logChannels?.some((channel) => channel.tag === tag) === true ? ctx.log.channel(tag) : ctx.log
  }

  async function* read(instance: string, request: ReadRequest, signal?: AbortSignal): AsyncGenerator<ReadPart> {
    checkReadRequest(id, definition.features, request)
    const readFeature = definition.read[request.feature]
    if (readFeature === undefined)
      throw new TypeError(`${id} declares that it reads ${request.feature}, and has nothing that does.`)
    const end = until(signal)
    const session = await readable(instance, end)
    yield* loggedRead(
      ctx.log,
      instance,
      request,
      partsUntilCancelled(checkedParts(accountName(id, instance), request, readFeature(session, request, end)), end),
    )
  }

  return {
    describe: () => description,
    profiles: () => profiles.ids().map(profiles.state),

    async probe(instance, signal) {
      const { configured, reasonCode = 'not_configured' } = profiles.state(instance)
      if (!configured) {
        const status =
          reasonCode === 'not_configured' || reasonCode === 'missing_credentials' ? 'not_configured' : 'down'
        return { status, reasonCode, reason: reasonText(label, reasonCode) }
      }
      const startedAt = performance.now()
      try {
        using limit = usableLimit(PROBE_LIMIT_MS, until(signal))
        const health: AccountHealth = await untilCancelled(
          ready(instance, 0, limit.signal).then((session) => definition.probe(session, limit.signal)),
          limit.signal,
        )
        const latencyMs = Math.round(performance.now() - startedAt)
        const reported =
          health.reasonCode === undefined || health.reason !== undefined
            ? health
            : { ...health, reason: reasonText(label, health.reasonCode) }
        logHealth(instance, reported)
        return { latencyMs, ...reported }
      } catch (error) {
        if (!isPlayheadError(error)) ctx.log.error({ instance, err: error }, 'a probe failed unexpectedly')
        const health = healthOfError(error, label)
        if (signal?.aborted !== true) logHealth(instance, health)
        return health
      }
    },

    read,

    async write(instance, request, signal) {
      const can = checkWriteRequest(id, definition.features, request)
      const write = definition.write[request.feature]
      if (write === undefined)
        throw new TypeError(`${id} declares that it writes ${request.feature}, and has nothing that does.`)
      const end = until(signal)
      const session = await writable(instance, end)
      return loggedWrite(
        ctx.log,
        instance,
        request,
        writeChecked(
          can,
          request,
          ctx.log,
          (checked) => writeUntilCancelled(checked, write(session, checked, end), end),
          ({ item }) => dayRefusal(can, request, item),
        ),
      )
    },

    ...createListProvider({
      providerId: id,
      log: ctx.log,
      definition: definition.lists,
      nameOf: (instance) => accountName(id, instance),
      readable,
      writable,
      until,
    }),
    libraries: async (instance, signal) =>
      definition.libraries === undefined
        ? []
        : definition.libraries(await readable(instance, until(signal)), until(signal)),
    ...createPlaybackProvider({
      providerId: id,
      log: ctx.log,
      logs: { watch: ownChannel('WATCH'), scrobble: ownChannel('SCROBBLE') },
      definition: definition.playback,
      features: definition.features,
      readable,
      writable,
      read: (instance, request, signal) => read(instance, request, signal),
      until,
    }),
    ...createPictureProvider({ definition: definition.pictures, open: kit.open, until }),
    ...createTitlePageProvider({
      definition: definition.titlePage,
      shape,
      profile: (instance) => profiles.effective(canonicalId(instance)),
    }),
    ...(droppedShows === undefined
      ? {}
      : {
          async droppedShows(instance: string, signal?: AbortSignal) {
            const end = until(signal)
            const session = await readable(instance, end)
            return checkedShows(accountName(id, instance), await untilCancelled(droppedShows(session, end), end))
          },
        }),
    signedInAt: (instance) => kit.signedInAt(canonicalId(instance)),
    ...(probes.length === 0
      ? {}
      : {
          async lookAtContract(instance: string, signal?: AbortSignal) {
            const end = until(signal)
            const session = await readable(instance, end)
            return untilCancelled(lookAtContract(probes, session, end), end)
          },
        }),
    ...acting,
    createProfile: (profile) => edits.create(profile),
    async saveProfile(instance, given) {
      const name = canonicalId(instance)
      const stateOf = () => (profiles.has(name) ? profiles.state(name).fingerprint : undefined)
      const before = stateOf()
      await edits.save(instance, given)
      if (stateOf() !== before) await kit.noteSignIn(name)
      await kit.forget(name)
    },
    removeProfile: (instance) => kit.removeProfile(canonicalId(instance)),
    async disconnect(instance) {
      await kit.disconnect(canonicalId(instance))
      ctx.log.info({ instance: canonicalId(instance) }, 'signed out')
    },
    async startSignIn(instance, method) {
      const id = canonicalId(instance)
      const flow = profiles.has(id) ? definition.signInFlow?.(kit, id, method) : undefined
      if (flow === undefined) throw new PlayheadError('PLH_UNSUPPORTED', `${label} has no such sign-in with a code.`)
      return kit.flows.start(id, flow)
    },
    pollSignIn: (instance, method) =>
      method === 'oauth' ? kit.redirects.state(canonicalId(instance)) : kit.flows.poll(canonicalId(instance), method),
    cancelSignIn: async (instance, method) =>
      method === 'oauth'
        ? kit.redirects.cancelAll(canonicalId(instance))
        : kit.flows.cancel(canonicalId(instance), method),
    rename: (instance, name) => kit.account(canonicalId(instance)).save({ label: cleanLabel(name) }),
  }
}

function describe<Schema extends TObject, Session>(
  ctx: PluginContext,
  definition: ProviderDefinition<Schema, Session>,
): ProviderDescription {
  const { manifest } = ctx
  const section = Array.isArray(manifest.section) ? manifest.section[0] : (manifest.section ?? `plugins.${manifest.id}`)
  const shipsApplication = shippedClientId(ctx) !== ''
  return {
    id: manifest.provider?.id ?? '',
    token: manifest.provider?.token ?? '',
    label: manifest.provider?.label ?? '',
    mark: manifest.mark ?? null,
    popular: manifest.provider?.popular ?? null,
    ...defined({ notice: manifest.notice, terms: manifest.provider?.terms }),
    version: manifest.version,
    vendor: definition.vendor ?? null,
    description: definition.description ?? manifest.description ?? null,
    group: definition.group,
    features: definition.features,
    ...defined({ lists: definition.lists?.support }),
    ...(definition.playback === undefined ? {} : { playback: playbackSupport(definition.playback) }),
    ...(definition.pictures === undefined ? {} : { pictures: true }),
    ...(definition.titlePage === undefined ? {} : { titlePages: true }),
    ...(definition.droppedShows === undefined ? {} : { droppedShows: true }),
    ...((definition.probes ?? []).length === 0 ? {} : { probes: true }),
    ...(definition.users === undefined ? {} : { users: true }),
    bidirectional: definition.bidirectional ?? true,
    signIn: shipsApplication ? withoutApplication(definition.signIn) : definition.signIn,
    ...defined({ section }),
    operations: operationsOf({
      id: manifest.provider?.id ?? '',
      token: manifest.provider?.token ?? '',
      section: section ?? null,
      routes: manifest.routes ?? [],
      signIn: definition.signIn,
      shipsApplication,
    }),
  }
}

/** A personal application is optional if one is shipped. */
function withoutApplication(signIn: SignInDescription): SignInDescription {
  return {
    ...signIn,
    fields: signIn.fields.map((field) => (isApplicationField(field) ? { ...field, required: false } : field)),
  }
}
