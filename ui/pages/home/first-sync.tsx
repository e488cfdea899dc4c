// The end of the first sync, with a summary. Shown once, animated for two seconds, and static for users who prefer reduced
// motion.
import { Button, CloseButton, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useState, type CSSProperties } from 'react'
import { Link } from 'wouter'
import type { Answer } from '../../api/client.ts'
import type { ShelfItem } from '../../parts/titles/shelf.tsx'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { PosterImage } from '../../parts/values/poster-image.tsx'
import { isSync } from '../../parts/runs/run-badge.tsx'
import type { PairStatus } from '../../parts/runs/pair-status.ts'
import { home } from '../../texts/en/home.ts'
import { say } from '../../texts/say.ts'

const { firstSync: texts } = home
const SEEN = 'playhead-first-sync'
const SHOWN = 7
/** After this time the first sync is no longer news. */
const MOMENT_MS = 24 * 3_600_000

type Run = Answer<'GET /api/runs'>['runs'][number]

/** The run to celebrate: the first one, unless it failed or was already shown. */
export function firstSyncOf(runs: readonly Run[], total: number, nowMs: number): Run | undefined {
  const [run] = runs
  if (run === undefined || total !== 1 || run.running || !isSync(run) || run.finished_at === null) return undefined
  const isGood = run.result !== 'failed' && run.added + run.updated > 0
  const isRecent = nowMs - Date.parse(run.finished_at) < MOMENT_MS
  return isGood && isRecent && wasSeen() !== run.run_id ? run : undefined
}

export function FirstSync({
  run,
  pairs,
  items,
}: {
  readonly run: Run
  readonly pairs: readonly PairStatus[]
  readonly items: readonly ShelfItem[]
}) {
  const [isOpen, setOpen] = useState(true)
  if (!isOpen) return null
  const posters = items.slice(0, SHOWN)
  const services = [...new Set(pairs.flatMap(({ source, target }) => [source, target]))]
  const middle = (posters.length - 1) / 2
  const close = () => {
    keepSeen(run.run_id)
    setOpen(false)
  }
  return (
    <Paper withBorder className="first-sync" component="section" aria-label={texts.title}>
      <CloseButton className="first-sync-close" aria-label={texts.close} onClick={close} />
      <div className="first-sync-fan" aria-hidden>
        {posters.map(({ key, picture, title }, index) => (
          <div
            key={key}
            className="first-sync-poster"
            style={{ '--place': index - middle, '--side': index % 2 === 0 ? -1 : 1, '--turn': index } as CSSProperties}
          >
            <PosterImage src={picture} title={title} />
          </div>
        ))}
      </div>
      <Stack gap="xs" className="grow-field" role="status">
        <Group gap="xs" className="marks">
          {services.map((provider) => (
            <ServiceMark key={provider} provider={provider} size={30} />
          ))}
        </Group>
        <Title order={2}>{texts.title}</Title>
        <Text c="dimmed">{say(texts.text, { n: run.added + run.updated })}</Text>
        <Group gap="sm" mt="xs">
          <Button component={Link} href="/library" onClick={() => keepSeen(run.run_id)}>
            {texts.library}
          </Button>
          <Button component={Link} href={`/runs/${run.run_id}`} variant="default" onClick={() => keepSeen(run.run_id)}>
            {texts.details}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

function wasSeen(): string | null {
  try {
    return localStorage.getItem(SEEN)
  } catch {
    return null
  }
}

function keepSeen(runId: string): void {
  try {
    localStorage.setItem(SEEN, runId)
  } catch {
    // Without storage, the card is shown again.
  }
}
