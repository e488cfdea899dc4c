// The most watched titles with their posters.
import { Text } from '@mantine/core'
import { Link } from 'wouter'
import { pictureOf, titleAddress } from '../../parts/titles/pictures.ts'
import { PosterImage } from '../../parts/values/poster-image.tsx'
import { statistics as texts } from '../../texts/en/statistics.ts'
import { say } from '../../texts/say.ts'
import { timeText } from './names.ts'
import type { Statistics } from './data.ts'

interface TopTitlesProps {
  readonly label: string
  readonly kind: 'movie' | 'show'
  readonly titles: Statistics['top']['shows']
}

const SHOWN = 12

export function TopTitles({ label, kind, titles }: TopTitlesProps) {
  return (
    <ul className="plain-list poster-strip" aria-label={label}>
      {titles.slice(0, SHOWN).map(({ key, title, ids, plays, minutes }) => {
        const name = title || texts.untitled
        return (
          <li key={key}>
            <Link href={titleAddress(key)} className="title-link">
              <div aria-hidden>
                <PosterImage src={pictureOf({ kind, ids }, 342)} title={name} />
              </div>
              <div className="caption">
                <Text size="sm" fw={600} className="two-lines" title={name}>
                  {name}
                </Text>
                <Text size="xs" c="dimmed" truncate>
                  {say(texts.ofPlays, { n: plays })} · {timeText(minutes)}
                </Text>
              </div>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
