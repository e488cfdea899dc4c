// The runtime of a provider plugin: profiles, accounts, sessions, flows.
import type { Static, TObject } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { PluginContext } from '../context.ts'
import { PlayheadError, isPlayheadError } from '../errors.ts'
import { createAccountContexts } from './account-context.ts'
import { ACCOUNTS } from '../capabilities/accounts.ts'
import type { AccountContext, ProviderDefinition, ProviderKit } from './define-contract.ts'
import { createFlows, type Flows } from './sign-in/flows.ts'
import { createLiveSettings } from './profiles/live-settings.ts'
import { createProfileEdits, type ProfileEdits } from './profiles/profile-edits.ts'
import { DEFAULT_PROFILE, canonicalId, invalidId, isOfProvider, unknownProfile } from './profiles/profile-ids.ts'
import type { ProfileShape } from './profiles/profile-schema.ts'
import { storeBelow } from './profiles/profile-store.ts'
import { createProfiles, type Profiles } from './profiles/profiles.ts'
import { leavesOf, type Settings } from './profiles/settings-tree.ts'
import { createRedirectStates } from './sign-in/redirect-states.ts'
import { usableLimit } from '../waiting.ts'

const SIGN_OUT_LIMIT_MS = 10_000

export interface Kit<Profile, Session> extends ProviderKit<Profile, Session> {
  readonly id: string
  readonly label: string
  readonly profiles: Profiles<Profile>
  readonly edits: ProfileEdits
  readonly flows: Flows
  /** Throws as `ProviderKit.session`. */
  open(instance: string): Session
  /** The account of a further profile with unsaved settings, which acts through the profile `via`. */
  acting(via: string, settings: Settings): AccountContext<Profile>
  removeProfile(instance: string): Promise<void>
  /** The profile has a new sign-in. */
  noteSignIn(instance: string): Promise<void>
  signedInAt(instance: string): Promise<number | undefined>
  settingsChanged(): void
}

export function createKit<Schema extends TObject, Session>(
  ctx: PluginContext,
  definition: ProviderDefinition<Schema, Session>,
  shape: ProfileShape,
  hashKey: string,
): Kit<Static<Schema>, Session> {
  type Profile = Static<Schema>
  const block = ctx.manifest.provider
  if (block === undefined) {
    throw new PlayheadError(
      'PLH_PLUGIN_MANIFEST',
      `Plugin "${ctx.id}" is a provider; plugin.json needs a "provider" block with id, token and label.`,
    )
  }
  const { id, label } = block
  const { credentials } = definition
  const settings = createLiveSettings(ctx)
  const profiles = createProfiles<Profile>(
    {
      providerId: id,
      shape,
      credentials,
      shares: definition.users?.shares ?? [],
      missing: (profile) => definition.missing(profile),
      notices: ctx.manifest.notices,
      libraryChoice:
        definition.libraryChoice === undefined ? undefined : (profile) => definition.libraryChoice?.(profile) ?? {},
    },
    settings.get,
    hashKey,
  )
  const ownStore = storeBelow(ctx.store, 'kit/')
  const edits = createProfileEdits({
    providerId: id,
    shape,
    credentials,
    profiles: profiles as Profiles<unknown>,
    settings,
    store: ownStore,
    assertUnused,
  })
  /**
   * `grant`: the refresh token that the session has, or has saved itself; another token may belong to another person.
   */
  const sessions = new Map<string, { readonly key: string; readonly session: Session; grant: string | undefined }>()
  const accounts = createAccountContexts<Profile>({
    ctx,
    providerId: id,
    shape,
    credentials,
    shares: definition.users?.shares ?? [],
    profiles,
    settings,
    onSaving(instance, change) {
      const known = sessions.get(instance)
      if (known !== undefined) known.grant = grantOf(change) ?? known.grant
    },
    async onCredentials(instance, isNew) {
      if (isNew) await noteSignIn(instance)
      await notifyAccounts()
    },
  })
  const flows = createFlows({
    log: ctx.log,
    signal: ctx.signal,
    isLive: () => ctx.host.plugins().find((plugin) => plugin.id === ctx.id)?.generation === ctx.generation,
    store: storeBelow(ctx.store, 'kit/flow/'),
    resume: (instance, method) => (profiles.has(instance) ? definition.signInFlow?.(kit, instance, method) : undefined),
  })

  const redirects = createRedirectStates(storeBelow(ctx.store, 'kit/redirect/'))

  // Skipped without a directory of accounts. A failure must not undo a completed save.
  async function notifyAccounts(): Promise<void> {
    const accounts = ctx.tryUse(ACCOUNTS)
    if (accounts === undefined) return
    try {
      await accounts.forget(id)
    } catch (error) {
      ctx.log.warn({ err: error }, 'the directory of accounts could not be notified of a changed credential')
    }
  }

  async function noteSignIn(instance: string): Promise<void> {
    if (profiles.state(instance).configured) await ownStore.set(signInKey(instance), Date.now())
    else await ownStore.delete(signInKey(instance))
  }

  function open(instance: string): Session {
    const { configured, reasonCode } = profiles.state(instance)
    if (!configured) {
      throw new PlayheadError(
        'PLH_NOT_READY',
        `${label}: the profile ${instance} is not set up. Sign in under its settings.`,
        { wire: 'not_configured', details: { instance, reason_code: reasonCode } },
      )
    }
    const key = profiles.sessionKey(instance)
    const grant = grantOf(profiles.effective(instance) as Settings)
    const known = sessions.get(instance)
    if (known?.key === key && known.grant === grant) return known.session
    const session = definition.open(accounts.account(instance))
    sessions.set(instance, { key, session, grant })
    return session
  }

  async function forget(instance: string): Promise<void> {
    sessions.delete(instance)
    await notifyAccounts()
  }

  async function assertUnused(instance: string): Promise<void> {
    // Fails without the directory of accounts: then usages are unknown.
    await ctx.use(ACCOUNTS).assertUnused(id, instance)
  }

  async function disconnect(instance: string): Promise<void> {
    // Throws for an unknown profile.
    profiles.effective(instance)
    await endSignIns(instance)
    await signOut(instance)
    await accounts.account(instance).save({ ...emptied(credentials), acts_as: undefined })
    await accounts.forgetStore(instance)
    await forget(instance)
  }

  /** A returning browser, or an entered code, must not sign in afterwards. */
  async function endSignIns(instance: string): Promise<void> {
    flows.cancelAll(instance)
    await redirects.cancelAll(instance)
  }

  async function signOut(instance: string): Promise<void> {
    if (definition.signOut === undefined || !profiles.state(instance).configured) return
    // The sign-in belongs to another profile.
    if (profiles.actsAs(instance) !== undefined) return
    try {
      using limit = usableLimit(SIGN_OUT_LIMIT_MS, ctx.signal)
      await definition.signOut(open(instance), limit.signal)
    } catch (error) {
      ctx.log.warn(
        { instance, code: isPlayheadError(error) ? error.code : 'unexpected' },
        'the sign-out could not be reported to the service',
      )
    }
  }

  async function removeProfile(instance: string): Promise<void> {
    if (instance === DEFAULT_PROFILE) {
      throw new PlayheadError('PLH_INVALID', 'The default account cannot be deleted. Disconnect it instead.', {
        wire: 'cannot_delete_default',
      })
    }
    if (!profiles.has(instance)) throw unknownProfile(instance)
    await endSignIns(instance)
    await definition.removed?.(accounts.account(instance))
    await edits.remove(instance)
    await accounts.forgetStore(instance)
    await ownStore.delete(signInKey(instance))
    await forget(instance)
  }

  const kit: Kit<Profile, Session> = {
    ctx,
    id,
    label,
    profiles,
    edits,
    flows,
    redirects,
    open,
    acting: accounts.acting,
    instanceOf(request: FastifyRequest) {
      const { instance } = request.query as { instance?: unknown }
      const text = typeof instance === 'string' ? instance : ''
      const canonical = canonicalId(text)
      if (canonical !== DEFAULT_PROFILE && !isOfProvider(canonical, id)) throw invalidId(text, id)
      if (!profiles.has(canonical)) throw unknownProfile(canonical)
      return canonical
    },
    profile: profiles.effective,
    account: accounts.account,
    trial: accounts.trial,
    session: open,
    assertUnused,
    disconnect,
    forget,
    removeProfile,
    noteSignIn,
    signedInAt: (instance) => ownStore.get<number>(signInKey(instance)),
    settingsChanged() {
      for (const instance of sessions.keys()) if (!profiles.has(instance)) sessions.delete(instance)
    },
  }
  return kit
}

const signInKey = (instance: string) => `signed-in/${instance}`

/** The refresh token among the settings. It identifies a sign-in, whose other tokens change. */
function grantOf(settings: Settings): string | undefined {
  const grant = leavesOf(settings).find(([path]) => /(?:^|\.)refresh_token$/.test(path))
  return grant === undefined ? undefined : String(grant[1])
}

function emptied(paths: readonly string[]): Record<string, unknown> {
  const change: Record<string, unknown> = {}
  for (const path of paths) {
    const names = path.split('.')
    let at = change
    for (const name of names.slice(0, -1)) at = (at[name] ??= {}) as Record<string, unknown>
    at[names.at(-1) as string] = undefined
  }
  return change
}
