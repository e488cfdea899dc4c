// A backup of Playback Reporting for the checks of the format. Texts by the names of their files.

export const ANN = '7a3f0d5e9b8c4d2e8f1a2b3c4d5e6f70'
export const BOB = 'c0ffee00c0ffee00c0ffee00c0ffee00'
const ids = new Map<string, string>()

/** A line of the backup: the item gets an id of the server by its name. */
export function line(at: string, user: string, type: string, name: string, minutes: number): string {
  const id = ids.get(name) ?? String(ids.size + 1).padStart(32, '0')
  ids.set(name, id)
  return [`${at}.1234567`, user, id, type, name, 'DirectPlay', 'Jellyfin Web', 'Firefox', minutes * 60].join('\t')
}
export const backup = (...lines: string[]) => ({
  'PlaybackReportingBackup-20240601-030000.tsv': `${lines.join('\r\n')}\r\n`,
})

export default backup(
  line('2024-01-05 21:00:00', ANN, 'Movie', '"Crocodile" Dundee, or not', 55),
  line('2024-01-06 20:30:00', ANN, 'Movie', '"Crocodile" Dundee, or not', 40),
  line('2024-01-06 22:00:00', BOB, 'Episode', 'The Wire - s01e02 - The Detail', 57),
  line('2024-01-07 09:00:00', BOB, 'Audio', 'Nina Simone - Sinnerman (Pastel Blues)', 10),
  line('2024-01-07 22:00:00', ANN, 'Episode', 'The Wire - s01e02 - The Detail', 56),
)
