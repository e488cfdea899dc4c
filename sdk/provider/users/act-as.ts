// Profiles that act as a user of a server through another profile's sign-in, and the check before each use.
import type { Static, TObject } from '@sinclair/typebox'
import { isPlayheadError, PlayheadError } from '../../errors.ts'
import type { ProviderDefinition } from '../define-contract.ts'
import type { Kit } from '../kit.ts'
import { canonicalId } from '../profiles/profile-ids.ts'
import { untilCancelled } from '../until-cancelled.ts'
import type { ActsAs, AnsweringUser, ServerUser, UsersDefinition, UsersProvider } from './contract.ts'
import { doubtOf, userRefused } from './held.ts'
import { defined } from '../../defined.ts'

/** Oldest proof of the user, in milliseconds, before writes and before reads. */
export const BEFORE_WRITE_MS = 30_000
export const BEFORE_READ_MS = 300_000

export interface ActingUsers<Session> extends Partial<UsersProvider> {
  /**
   * The session of a profile. For one that acts as a user, a read as that user within the last `withinMs` precedes it.
   * Throws the error of `doubtOf` for a profile that is held back.
   */
  ready(instance: string, withinMs: number, signal: AbortSignal): Promise<Session>
}

export function createActingUsers<Schema extends TObject, Session>(
  kit: Kit<Static<Schema>, Session>,
  definition: ProviderDefinition<Schema, Session>,
  until: (signal: AbortSignal | undefined) => AbortSignal,
): ActingUsers<Session> {
  type Profile = Static<Schema>
  const { label, profiles, edits } = kit
  const { users } = definition
  const proofs = new Map<string, { readonly key: string; readonly atMs: number; readonly proof: Promise<void> }>()

  async function answering(
    of: UsersDefinition<Profile, Session>,
    session: Session,
    name: string,
    signal: AbortSignal,
  ): Promise<AnsweringUser | undefined> {
    try {
      return await untilCancelled(of.confirm(session, signal), signal)
    } catch (error) {
      throw isRefusal(error) ? userRefused(label, name, error) : error
    }
  }

  async function prove(of: UsersDefinition<Profile, Session>, instance: string, actsAs: ActsAs): Promise<void> {
    const found = await answering(of, kit.open(instance), actsAs.name, until(undefined))
    // An id that comes back after a deletion may belong to another person.
    if (found === undefined && actsAs.gone !== true) await kit.account(instance).save({ acts_as: { gone: true } })
    const doubt = doubtOf(label, actsAs, found)
    if (doubt !== undefined) throw doubt
  }

  async function ready(instance: string, withinMs: number, signal: AbortSignal): Promise<Session> {
    const actsAs = profiles.actsAs(instance)
    if (actsAs === undefined || users === undefined) return kit.open(instance)
    const key = JSON.stringify([profiles.sessionKey(instance), actsAs])
    let known = proofs.get(instance)
    if (known?.key !== key || performance.now() - known.atMs >= withinMs) {
      const proof = prove(users, instance, actsAs)
      known = { key, atMs: performance.now(), proof }
      proofs.set(instance, known)
      proof.catch(() => {
        if (proofs.get(instance)?.proof === proof) proofs.delete(instance)
      })
    }
    await untilCancelled(known.proof, signal)
    return kit.open(instance)
  }

  if (users === undefined) return { ready }

  async function list(
    of: UsersDefinition<Profile, Session>,
    instance: string,
    signal: AbortSignal,
  ): Promise<readonly ServerUser[]> {
    try {
      return await untilCancelled(of.list(kit.open(instance), signal), signal)
    } catch (error) {
      if (!isRefusal(error)) throw error
      throw new PlayheadError('PLH_FORBIDDEN', `${label}: only an administrator may see the users of the server.`, {
        wire: 'no_rights',
        cause: error,
      })
    }
  }

  return {
    ready,
    users: (given, signal) => list(users, canonicalId(given), until(signal)),
    async actAs(given, wanted, signal) {
      const instance = canonicalId(given)
      const end = until(signal)
      if (profiles.actsAs(instance) !== undefined)
        throw refused('acts_as_user', `${label}: this profile acts as a user itself. Choose the one that signed in.`)
      const user = (await list(users, instance, end)).find(({ id }) => id === wanted.id)
      if (user === undefined)
        throw new PlayheadError('PLH_NOT_FOUND', `${label}: the server has no such user.`, { wire: 'unknown_user' })
      const { id, name, account, mark, isSelf, refusal } = user
      if (isSelf) throw refused('user_is_self', `${label}: ${name} is the user of this profile already.`)
      if (refusal === 'disabled') throw refused('user_disabled', `${label}: ${name} is disabled on the server.`)
      if (refusal === 'own_sign_in')
        throw refused(
          'own_sign_in',
          `${label}: ${name} has to sign in; the service lets no other sign-in act for them.`,
        )
      const actsAs: ActsAs = { via: instance, id, account, name, ...defined({ mark }) }
      const settings = { ...users.settings(user, wanted.secret ?? ''), acts_as: actsAs }
      // Proven with unsaved settings, so that a refusal leaves no profile behind.
      const trial = definition.open(kit.acting(instance, settings))
      const doubt = doubtOf(label, actsAs, await answering(users, trial, name, end))
      if (doubt !== undefined) throw doubt
      const made = await edits.create({ settings, label: wanted.label ?? name, includeCredentials: true })
      await kit.forget(made)
      return made
    },
    async confirmUser(given, signal) {
      const instance = canonicalId(given)
      const actsAs = profiles.actsAs(instance)
      if (actsAs === undefined)
        throw new PlayheadError('PLH_UNSUPPORTED', `${label}: this profile has a sign-in of its own.`)
      const found = await answering(users, kit.open(instance), actsAs.name, until(signal))
      // Only the account has to be the same.
      const { via, id, account } = actsAs
      const confirmed: ActsAs = { via, id, name: actsAs.name, ...found, account }
      const doubt = doubtOf(label, confirmed, found)
      if (doubt !== undefined) throw doubt
      await kit.account(instance).save({ acts_as: { name: found?.name, mark: found?.mark, gone: undefined } })
      await kit.forget(instance)
    },
  }
}

function refused(wire: string, message: string): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', message, { wire })
}

/** The service knows the sign-in and does not let it do that. */
function isRefusal(error: unknown): boolean {
  return isPlayheadError(error, 'PLH_FORBIDDEN')
}
