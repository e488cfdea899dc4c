// The route that chooses the tracker snapshot to restore at the next read.
import { PlayheadError, type PluginApp, type Static, Type } from '@playhead/sdk'
import { Selected } from './answers.ts'
import type { Parts } from './parts.ts'
import { COUNTED, TRACKER } from './numbers.ts'

const Query = Type.Object({
  feature: Type.Unsafe<(typeof COUNTED)[number]>({ type: 'string', enum: [...COUNTED] }),
  snapshot: Type.String({ minLength: 1, maxLength: 200, description: 'Its name, or latest.' }),
  provider_instance: Type.String({ default: 'default', maxLength: 64 }),
})

export function registerSnapshotRoute(app: PluginApp, { accounts, tracker }: Parts): void {
  app.post(
    '/api/svc/select-snapshot',
    {
      schema: {
        summary: 'Choose the tracker snapshot to restore',
        querystring: Query,
        response: { 200: Selected },
        errors: {
          404: {
            not_found: 'The tracker has no such profile.',
            snapshot_not_found: 'The tracker has no such snapshot.',
          },
        },
      },
    },
    async (request) => {
      const { feature, snapshot, provider_instance: wanted } = request.query as Static<typeof Query>
      const instance = wanted.trim() === '' ? 'default' : wanted.trim()
      const store = tracker()
      const own = (await accounts.list()).find(
        (account) => account.provider === TRACKER && account.instance.toLowerCase() === instance.toLowerCase(),
      )
      if (store === undefined || own === undefined)
        throw new PlayheadError('PLH_NOT_FOUND', 'The tracker has no such profile.')
      await store.select(own.instance, feature, snapshot)
      return { ok: true, feature, snapshot, provider_instance: own.instance }
    },
  )
}
