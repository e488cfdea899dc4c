// Version, updates and module versions.
import { Type, definePlugin } from '@playhead/sdk'
import { registerRoutes } from './routes.ts'
import { createUpdateCheck } from './update-check.ts'

const settings = Type.Object({
  enabled: Type.Boolean({
    default: true,
    description: 'Check for newer versions. Off for installations without internet access.',
  }),
  source: Type.String({
    default: '',
    maxLength: 500,
    pattern: '^$|^https?://\\S+$',
    description:
      'Address of a list of releases in the form of https://api.github.com/repos/<owner>/<name>/releases. ' +
      'Empty: no updates are looked for.',
  }),
})

export default definePlugin({
  config: settings,
  setup: ({ config, upstream, host, log }) => createUpdateCheck({ config, upstream, log, current: host.version }),
  routes: registerRoutes,
})
