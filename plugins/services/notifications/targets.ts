// The targets of all notifiers. The notifiers' settings store them with their secrets; this service reads them from there.
import {
  type NotificationMessage,
  type Notifier,
  type NotifierDescription,
  NOTIFIERS,
  pause,
  type NotifierTarget,
  PlayheadError,
  type PluginContext,
  type Remote,
} from '@playhead/sdk'
import { createHmac, randomBytes } from 'node:crypto'

/** Ids are displayed and must not reveal settings, which contain secrets. */
const CONTENT_KEY = randomBytes(32)
const LISTED_AFTER_MS = [20, 50, 100, 200, 500, 1_000, 2_000, 5_000]

interface OfferedNotifier {
  readonly notifier: Remote<Notifier>
  readonly description: NotifierDescription
}

export interface ListedTarget extends NotifierTarget {
  readonly notifier: string
}

interface TargetInput {
  /** Absent for a new target. */
  readonly id?: string | undefined
  readonly notifier: string
  readonly name: string
  readonly enabled: boolean
  readonly settings: Readonly<Record<string, unknown>>
}

export type Targets = ReturnType<typeof createTargets>

export function createTargets(ctx: Pick<PluginContext, 'capabilities' | 'use' | 'tryUse' | 'log'>) {
  async function notifiers(): Promise<readonly OfferedNotifier[]> {
    const found = await Promise.all(
      ctx.capabilities(NOTIFIERS).map(async (reference): Promise<OfferedNotifier | undefined> => {
        const notifier = ctx.use(reference)
        try {
          return { notifier, description: await notifier.describe() }
        } catch (error) {
          // A disabled or broken notifier must not hide the others.
          ctx.log.warn({ err: error, notifier: reference.token }, 'a notifier could not be described')
          return undefined
        }
      }),
    )
    return found
      .filter((one) => one !== undefined)
      .sort((a, b) => a.description.label.localeCompare(b.description.label, 'en'))
  }

  async function list(): Promise<readonly ListedTarget[]> {
    const all = await Promise.all(
      (await notifiers()).map(async ({ notifier, description }) => {
        try {
          return (await notifier.targets()).map((target) => ({ ...target, notifier: description.id }))
        } catch (error) {
          ctx.log.warn({ err: error, notifier: description.id }, 'the targets of a notifier cannot be listed')
          return []
        }
      }),
    )
    return all.flat().sort((a, b) => a.name.localeCompare(b.name, 'en') || a.id.localeCompare(b.id, 'en'))
  }

  const find = async (id: string) => (await list()).find((target) => target.id === id)

  /** Equal content has an equal id, so that a repeated save creates no second target. */
  async function idOfNew({ notifier, name, settings }: TargetInput): Promise<string> {
    const ordered = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1))
    const own = createHmac('sha256', CONTENT_KEY)
      .update(JSON.stringify([notifier, name, ordered]))
      .digest('hex')
    const id = `${notifier}-${own.slice(0, 10)}`
    const known = await find(id)
    // The target was changed since.
    return known === undefined || known.name === name ? id : `${notifier}-${randomBytes(5).toString('hex')}`
  }

  return {
    notifiers,
    list,
    find,
    /** A target that was just saved; its notifier may not have loaded the settings yet. */
    async findSaved(id: string): Promise<ListedTarget | undefined> {
      for (const ms of LISTED_AFTER_MS) {
        const target = await find(id)
        if (target !== undefined) return target
        await pause(ms)
      }
      return find(id)
    },
    /** Resolves to the id. Throws `notifier_not_found`, `target_not_found`, `target_is_fixed`, `PLH_CONFIG_INVALID`. */
    async save({ id, notifier: notifierId, name, enabled, settings }: TargetInput): Promise<string> {
      const offered = (await notifiers()).find(({ description }) => description.id === notifierId)
      if (offered === undefined)
        throw gone('notifier_not_found', 'This kind of channel does not exist, or its plugin is off.')
      if (offered.description.fixed === true) throw fixed()
      if (id !== undefined && (notifierOf(id) !== notifierId || (await find(id)) === undefined)) throw noTarget()
      const own = id ?? (await idOfNew({ notifier: notifierId, name, enabled, settings }))
      await offered.notifier.save({ id: own, name, enabled, settings })
      return own
    },
    async remove(id: string): Promise<void> {
      const offered = (await notifiers()).find(({ description }) => description.id === notifierOf(id))
      if (offered?.description.fixed === true) throw fixed()
      if (offered === undefined || !(await offered.notifier.remove(id))) throw noTarget()
    },
    async send(id: string, message: NotificationMessage, signal: AbortSignal): Promise<void> {
      const notifier = ctx.tryUse(NOTIFIERS.of(notifierOf(id)))
      if (notifier === undefined)
        throw new PlayheadError('PLH_CAPABILITY_GONE', 'The plugin of this notifier is off.', { wire: 'notifier_off' })
      const target = (await notifier.targets()).find((one) => one.id === id)
      if (target === undefined) throw noTarget()
      if (!target.enabled) throw new PlayheadError('PLH_INVALID', 'The channel is off.', { wire: 'target_off' })
      await notifier.send(id, message, signal)
    },
  }
}

/** `discord-1f2e3d4c5b` is a target of `discord`. */
function notifierOf(targetId: string): string {
  return targetId.slice(0, Math.max(0, targetId.lastIndexOf('-')))
}

export function noTarget(): PlayheadError {
  return gone('target_not_found', 'This channel does not exist.')
}

function gone(wire: string, message: string): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', message, { wire })
}

function fixed(): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', 'This channel comes from the settings of another plugin. Change it there.', {
    wire: 'target_is_fixed',
  })
}
