// The plugin's current settings, including changes that this generation saved itself: the host delivers changes only to
// the active generation, and a replaced one may still be finishing its work.
import type { PluginContext } from '../../context.ts'
import { deepFreeze, merged, type Settings } from './settings-tree.ts'

export interface LiveSettings {
  get(): Settings
  /** @param change as `ctx.updateConfig` */
  update(change: (stored: Settings) => Settings): Promise<void>
}

export function createLiveSettings(ctx: PluginContext): LiveSettings {
  let overlay: { readonly over: unknown; readonly settings: Settings } | null = null
  const get = (): Settings => {
    const given = ctx.config as Settings
    if (overlay === null || overlay.over !== given) {
      overlay = null
      return given
    }
    return overlay.settings
  }

  return {
    get,
    async update(change) {
      const before = ctx.config
      let made: Settings = {}
      await ctx.updateConfig((stored) => (made = change(stored)))
      if (ctx.config === before) overlay = { over: before, settings: deepFreeze(merged(get(), made)) }
    },
  }
}
