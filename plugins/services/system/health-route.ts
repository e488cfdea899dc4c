// The detailed health report for signed-in users. The liveness route belongs to the core.
import { Type, type HealthFact, type PluginApp } from '@playhead/sdk'
import { inTime } from './in-time.ts'

const Check = Type.Object({
  name: Type.String(),
  ok: Type.Boolean(),
  detail: Type.Optional(Type.Unknown()),
  advice: Type.Optional(Type.String({ description: 'How to resolve it.' })),
})
const Plugin = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.String(),
  kind: Type.String(),
  state: Type.String(),
})

const ANSWER_MS = 8_000
const LATE: HealthFact = {
  name: 'checks',
  ok: false,
  detail: { late: true },
  advice: 'Some checks do not answer in time. What is said of them here is what they said before, where they did.',
}
/** States of a plugin that should run and cannot. */
export const BROKEN_STATES: ReadonlySet<string> = new Set(['failed', 'quarantined', 'blocked', 'stuck'])

export function registerHealthRoute(app: PluginApp): void {
  const { host } = app.playhead
  const facts = inTime(() => host.health(), ANSWER_MS)

  app.get(
    '/api/system/health',
    {
      schema: {
        summary: 'Detailed health: checks of the service and of plugins, and the state of every plugin',
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            status: Type.String({ description: '`ok`, or `degraded` when a check failed.' }),
            version: Type.String(),
            started_at: Type.Integer({ description: 'Epoch seconds.' }),
            uptime_seconds: Type.Integer(),
            checks: Type.Array(Check),
            plugins: Type.Array(Plugin),
          }),
        },
      },
    },
    async () => {
      const plugins = host.plugins().toSorted((a, b) => (a.id < b.id ? -1 : 1))
      const unsound = plugins.filter(({ state }) => BROKEN_STATES.has(state)).map(({ id }) => id)
      const running: HealthFact = {
        name: 'plugins',
        ok: unsound.length === 0,
        detail: { not_running: unsound },
        ...(unsound.length === 0
          ? {}
          : {
              advice:
                'The page of each plugin says what went wrong with it. What it was needed for is off until it runs again.',
            }),
      }
      const { value = [], isLate } = await facts()
      const checks: readonly HealthFact[] = [...value, running, ...(isLate ? [LATE] : [])]
      const ok = checks.every((check) => check.ok)
      return {
        ok,
        status: ok ? 'ok' : 'degraded',
        version: host.version,
        started_at: Math.floor(host.startedAtMs / 1000),
        uptime_seconds: Math.max(0, Math.floor((Date.now() - host.startedAtMs) / 1000)),
        checks,
        plugins: plugins.map(({ id, name, version, kind, state }) => ({ id, name, version, kind, state })),
      }
    },
  )
}
