// Accounts and profiles: the directory of all accounts, their health and their usage.
import { ACCOUNT_HEALTH_CHANGED, ACCOUNTS, CONFIG_SAVED, definePlugin, PROFILE_USAGE } from '@playhead/sdk'
import { createParts } from './parts.ts'
import { registerConnectionRoutes } from './connection-routes.ts'
import { registerManifestRoutes } from './manifest-routes.ts'
import { registerPeopleRoutes } from './people-routes.ts'
import { registerProfileRoutes, savedProfile } from './profile-routes.ts'
import { registerStatusRoutes } from './status-routes.ts'
import { UidSection } from './uids.ts'

export default definePlugin({
  config: UidSection,
  hooks: [PROFILE_USAGE, ACCOUNT_HEALTH_CHANGED],
  setup(ctx) {
    const parts = createParts(ctx)
    ctx.provide(ACCOUNTS, parts.accounts)
    ctx.onConfigChange((config) => parts.uids.replace(config))
    ctx.tap(CONFIG_SAVED, 'accounts', ({ paths }) => parts.settingsSaved(paths))
    ctx.events.on('plugin.*', () => parts.status.forget())
    return parts
  },
  routes(app, parts) {
    const saved = savedProfile(parts)
    registerProfileRoutes(app, saved, parts)
    registerPeopleRoutes(app, saved, parts)
    registerManifestRoutes(app, parts)
    registerStatusRoutes(app, parts)
    registerConnectionRoutes(app, parts)
  },
})
