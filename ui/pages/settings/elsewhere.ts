// Sections of the configuration that are set on another page than the settings.
const ELSEWHERE: Readonly<Record<string, string>> = {
  app_auth: '/settings/account',
  ui: '/settings/tls',
  'plugins.version': '/settings/updates',
  provider_instance_ids: '/connections',
  pairs: '/pairs',
  playlists: '/playlists',
  scheduling: '/schedule',
}

/** The page that has the settings of the section, if it is not one of the settings. */
export function elsewhere({ path, kind }: { readonly path: string; readonly kind: string }): string | undefined {
  // The settings of a notifier are those of its channels.
  return kind === 'notifier' ? '/notifications' : ELSEWHERE[path]
}
