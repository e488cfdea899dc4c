// A backup of Streamystats for the checks of the format. Texts by the names of their files.

export function session(userName: string, itemName: string, endTime: string, minutes: number, more: object = {}) {
  const playDuration = minutes * 60
  const startTime = new Date(Date.parse(endTime) - playDuration * 1_000).toISOString()
  return {
    id: `sid:1:${userName}:${startTime}`,
    serverId: 1,
    userId: `id-of-${userName}`,
    itemId: `item-of-${itemName}`,
    userName,
    itemName,
    seriesId: null,
    seriesName: null,
    playDuration,
    startTime,
    endTime,
    runtimeTicks: 110 * 600_000_000,
    percentComplete: 90,
    completed: true,
    isInferred: false,
    rawData: { sessionKey: 'x' },
    ...more,
  }
}
export const backup = (...sessions: object[]) => ({
  'streamystats-backup-Home-2026-05-01.json': JSON.stringify({
    exportInfo: { timestamp: '2026-05-01T00:00:00.000Z', serverName: 'Home', serverId: 1, version: 'streamystats' },
    counts: { sessions: sessions.length, hiddenRecommendations: 1 },
    server: { id: 1, name: 'Home' },
    sessions,
    hiddenRecommendations: [{ id: 1, userId: 'x', itemId: 'y' }],
  }),
})
const WIRE = { seriesId: 's1', seriesName: 'The Wire', runtimeTicks: 58 * 600_000_000 }

export default backup(
  session('ann', 'Heat', '2026-01-03T22:00:00.000Z', 60),
  session('ann', 'Heat', '2026-01-04T22:00:00.000Z', 45),
  session('bob', 'The Detail', '2026-01-05T22:00:00.000Z', 57, WIRE),
)
