// Version, updates and module versions.
import { Type, definePlugin } from '@playhead/sdk'
import { registerRoutes } from './routes.ts'
import { createUpdateCheck } from './update-check.ts'

const settings = Type.Object({
  enabled: Type.Boolean({
    default: true,
    title: 'Check for updates',
    description: 'Turn this off if Playhead has no internet access.',
  }),
  source: Type.String({
    default: '',
    maxLength: 500,
    pattern: '^$|^https?://\\S+$',
    title: 'Update source',
    description:
      'The address of a list of releases, such as https://api.github.com/repos/<owner>/<name>/releases. ' +
      'Leave empty to turn off the check.',
  }),
})

export default definePlugin({
  config: settings,
  setup: ({ config, upstream, host, log }) => createUpdateCheck({ config, upstream, log, current: host.version }),
  routes: registerRoutes,
})
