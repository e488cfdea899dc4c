// Where `plugin dev` runs the good versions of a plugin.
import type { PluginFolder } from './folder.ts'

/** Where good versions are live. */
export interface DevService extends AsyncDisposable {
  /** The message once the service runs. */
  readonly opened: string
  /** Resolves with the reason if the service ends by itself. */
  readonly ended: Promise<string>
  /** Replaces the running version. Returns the version and its number, or throws why it could not be loaded. */
  publish(plugin: PluginFolder, signal: AbortSignal): Promise<string>
}
