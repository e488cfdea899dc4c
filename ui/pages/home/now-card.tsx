// A playback, or the title to continue: picture, name, how far it is. The first of a page is the hero.
import { Anchor, Paper, Progress, Stack, Title } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { at } from '../../api/base.ts'
import { pictureOf, type Pictured } from '../../parts/titles/pictures.ts'
import { PosterImage } from '../../parts/values/poster-image.tsx'
import { home } from '../../texts/en/home.ts'
import { say } from '../../texts/say.ts'

const { playing: texts } = home

interface NowCardProps {
  readonly label: string
  readonly title: string
  readonly href?: string
  readonly pictured: Pictured
  readonly isHero: boolean
  readonly progress: { readonly percent: number; readonly text: string } | null
  /** Below the bar. */
  readonly state: ReactNode
  readonly children: ReactNode
}

export function NowCard({ label, title, href, pictured, isHero, progress, state, children }: NowCardProps) {
  return (
    <Paper withBorder component="article" className="playing" data-hero={isHero || undefined} aria-label={label}>
      <Art src={pictureOf(pictured, isHero ? 1280 : 780, 'backdrop')} />
      <div className="playing-poster" aria-hidden>
        <PosterImage src={pictureOf(pictured, 342)} title={title} />
      </div>
      <Stack gap="2xs" className="grow">
        <Title order={3} size={isHero ? 'h3' : 'h5'} style={{ overflowWrap: 'anywhere' }} dir="auto">
          {href === undefined ? (
            title
          ) : (
            <Anchor component={Link} href={href} inherit c="inherit">
              {title}
            </Anchor>
          )}
        </Title>
        {children}
        {progress === null ? null : (
          <Progress.Root
            size="sm"
            my="2xs"
            role="progressbar"
            aria-label={say(texts.progress, { title })}
            aria-valuetext={progress.text}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={progress.percent}
          >
            <Progress.Section withAria={false} value={progress.percent} color="playhead" />
          </Progress.Root>
        )}
        {state}
      </Stack>
    </Paper>
  )
}

/** The backdrop of the card; renders nothing without a picture. */
function Art({ src }: { readonly src: string | null }) {
  const [isMissing, setMissing] = useState(false)
  if (src === null || isMissing) return null
  return <img className="playing-art" src={at(src)} alt="" decoding="async" onError={() => setMissing(true)} />
}
