// Runs the tests. `npm test` runs everything but the slow proofs below, and of these the share of the day, so that all of
// them run within sixteen days; `npm run test:all` runs everything. With files or folders as arguments only these run.
import { spawn } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { sweepCaches } from './shared-caches.ts'

// Files, and folders with a slash: what takes long because it does the same very often, in all combinations, or in a
// browser step by step. Of each area something runs every day, and so do the properties of the sync and its crash tests.
const SLOW = [
  'test/conformance/anilist.test.ts',
  'test/conformance/bad-neighbours.test.ts',
  'test/conformance/bad-reads.test.ts',
  'test/conformance/bad-sign-in.test.ts',
  'test/conformance/bad-writes.test.ts',
  'test/conformance/emby.test.ts',
  'test/conformance/isolated.test.ts',
  'test/conformance/jellyfin.test.ts',
  'test/conformance/mdblist.test.ts',
  'test/conformance/mutants-on-a-thread.test.ts',
  'test/conformance/nuvio.test.ts',
  'test/conformance/plex.test.ts',
  'test/conformance/publicmetadb.test.ts',
  'test/conformance/recorded.test.ts',
  'test/conformance/reel.test.ts',
  'test/conformance/simkl.test.ts',
  'test/conformance/tautulli.test.ts',
  'test/conformance/template.test.ts',
  'test/conformance/tmdb.test.ts',
  'test/conformance/trakt.test.ts',
  'test/contract/fuzz.test.ts',
  'test/contract/scopes.test.ts',
  'test/core/cli/check.test.ts',
  'test/core/cli/dev.test.ts',
  'test/core/cli/every-kind.test.ts',
  'test/core/cli/link.test.ts',
  'test/core/cli/remote.test.ts',
  'test/core/cli/repair.test.ts',
  'test/core/cli/scaffold.test.ts',
  'test/core/host/client-faults.test.ts',
  'test/core/host/dormant.test.ts',
  'test/core/host/endless-loop.test.ts',
  'test/core/host/kept.test.ts',
  'test/core/host/long-migration.test.ts',
  'test/core/host/swap.test.ts',
  'test/core/http/odd-input.test.ts',
  'test/core/storage/own-database.test.ts',
  'test/docs/plugins-guide.test.ts',
  'test/docs/scripts-and-dashboards.test.ts',
  'test/docs/when-a-tracker-goes-away.test.ts',
  'test/packages/crash.test.ts',
  'test/packages/service-crash.test.ts',
  'test/packages/trial.test.ts',
  'test/plugins-outside/outside.test.ts',
  'test/plugins-outside/package.test.ts',
  'test/plugins/accounts/hanging.test.ts',
  'test/plugins/analyzer/service.test.ts',
  'test/plugins/anilist/sync.test.ts',
  'test/plugins/anime-mapping/kill.test.ts',
  'test/plugins/anime-mapping/update.test.ts',
  'test/plugins/backups/archives.test.ts',
  'test/plugins/backups/restore.test.ts',
  'test/plugins/captures/files.test.ts',
  'test/plugins/captures/restore.test.ts',
  'test/plugins/captures/stand-ins.test.ts',
  'test/plugins/editor/lists-service.test.ts',
  'test/plugins/events/counts.test.ts',
  'test/plugins/imports/own-formats.test.ts',
  'test/plugins/imports/properties.test.ts',
  'test/plugins/imports/runs.test.ts',
  'test/plugins/insights/numbers.test.ts',
  'test/plugins/jellyfin-and-emby/in-service.test.ts',
  'test/plugins/jellyfin-and-emby/properties.test.ts',
  'test/plugins/jellyfin-and-emby/sync.test.ts',
  'test/plugins/jellyfin-and-emby/watch.test.ts',
  'test/plugins/jellyfin/quick-connect.test.ts',
  'test/plugins/maintenance/actions.test.ts',
  'test/plugins/maintenance/service.test.ts',
  'test/plugins/manual/requests.test.ts',
  'test/plugins/manual/service.test.ts',
  'test/plugins/notifications/email.test.ts',
  'test/plugins/nuvio/changes.test.ts',
  'test/plugins/nuvio/sync.test.ts',
  'test/plugins/playback/every-provider.test.ts',
  'test/plugins/playback/reads.test.ts',
  'test/plugins/playback/service.test.ts',
  'test/plugins/playlists/lives.test.ts',
  'test/plugins/playlists/run.test.ts',
  'test/plugins/playlists/services.test.ts',
  'test/plugins/plex/watch.test.ts',
  'test/plugins/plex/write.test.ts',
  'test/plugins/sync-engine/manual-policy-file.test.ts',
  'test/plugins/sync-engine/manual-policy.test.ts',
  'test/plugins/sync/not-run.test.ts',
  'test/plugins/sync/refresh.test.ts',
  'test/plugins/system/support-bundle.test.ts',
  'test/plugins/trakt/service.test.ts',
  'test/providers/answers.test.ts',
  'test/providers/in-use.test.ts',
  'test/providers/missing-fields.test.ts',
  'test/providers/requests.test.ts',
  'test/providers/silence.test.ts',
  'test/service/backup-crashes.test.ts',
  'test/service/captures-crash.test.ts',
  'test/service/captures-faults.test.ts',
  'test/service/image.test.ts',
  'test/service/import-accounts.test.ts',
  'test/service/import-crash.test.ts',
  'test/service/kept-crash.test.ts',
  'test/service/log-channels.test.ts',
  'test/service/maintenance-crash.test.ts',
  'test/service/maintenance-faults.test.ts',
  'test/service/notifications-crash.test.ts',
  'test/service/playlists-crash.test.ts',
  'test/service/process.test.ts',
  'test/service/scrobble-crash.test.ts',
  'test/service/scrobble-crashes.test.ts',
  'test/service/scrobble-evening.test.ts',
  'test/service/scrobble-restarts.test.ts',
  'test/service/scrobble.test.ts',
  'test/service/stop.test.ts',
  'test/service/upgrade-crash.test.ts',
  'test/service/webhook-answers.test.ts',
  'test/soak/',
  'test/sync/',
<<<<<<< HEAD
  'test/ui/analyzer.test.ts',
=======
  'test/ui/anime.test.ts',
>>>>>>> c0497a37 (Guide: playlists and corrections; stories and tests of the new pages)
  'test/ui/backups.test.ts',
  'test/ui/base-path.test.ts',
  'test/ui/captures.test.ts',
  'test/ui/connections.test.ts',
  'test/ui/continue.test.ts',
  'test/ui/editor.test.ts',
  'test/ui/events.test.ts',
  'test/ui/everywhere.test.ts',
  'test/ui/foundation.test.ts',
  'test/ui/import.test.ts',
  'test/ui/library.test.ts',
  'test/ui/maintenance.test.ts',
  'test/ui/not-run.test.ts',
  'test/ui/notifications.test.ts',
  'test/ui/pairs.test.ts',
  'test/ui/playlists.test.ts',
  'test/ui/plays.test.ts',
  'test/ui/plugins.test.ts',
  'test/ui/profiles.test.ts',
  'test/ui/recovery.test.ts',
  'test/ui/runs.test.ts',
  'test/ui/schedule.test.ts',
  'test/ui/scrobbling.test.ts',
  'test/ui/settings.test.ts',
  'test/ui/sign-in-ways.test.ts',
  'test/ui/single-sign-on.test.ts',
  'test/ui/streams.test.ts',
  'test/ui/watchlist.test.ts',
  'test/ui/words.test.ts',
  'test/upstreams/described-jellyfin.test.ts',
  'test/upstreams/described-plex-and-trakt.test.ts',
]
const SHARES = 16
const DAY_MS = 86_400_000

const ROOT = join(import.meta.dirname, '..')
const given = process.argv.slice(2)
const isAll = given.includes('--all')
const chosen = given.filter((argument) => !argument.startsWith('--'))

// Plugins of strangers bring tests of their own, which run as theirs.
const strangers = 'test/plugins-outside/*/**'
const files = (await Array.fromAsync(glob('test/**/*.test.ts', { cwd: ROOT, exclude: [strangers] }))).sort()
const slow = files.filter((file) => SLOW.some((one) => (one.endsWith('/') ? file.startsWith(one) : file === one)))
const share = Number(process.env['PLAYHEAD_TEST_SHARE'] ?? Math.floor(Date.now() / DAY_MS) % SHARES)
const left = new Set(slow.filter((_, index) => index % SHARES !== share))
const run = chosen.length > 0 ? chosen : isAll ? files : files.filter((file) => !left.has(file))
if (!isAll && chosen.length === 0)
  console.log(
    `${run.length} of ${files.length} test files, among them share ${share} of ${SHARES} of the slow proofs ` +
      `(PLAYHEAD_TEST_SHARE=${share} npm test runs the same; npm run test:all runs everything)`,
  )

await sweepCaches()
const tap = spawn(join(ROOT, 'node_modules/.bin/tap'), run, { cwd: ROOT, stdio: 'inherit' })
tap.on('exit', (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 1
})
