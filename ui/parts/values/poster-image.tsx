// A poster served by Playhead over a background derived from the title. Without a poster, the title is shown on that
// background. The size never changes.
import { AspectRatio, Center, Text } from '@mantine/core'
import { useState } from 'react'
import { at } from '../../api/base.ts'

interface PosterImageProps {
  /** null if there is no poster. */
  readonly src: string | null
  readonly title: string
  /** Small posters have no room for a title. */
  readonly isSmall?: boolean
}

type Shown = 'waiting' | 'there' | 'missing'

export function PosterImage({ src, title, isSmall = false }: PosterImageProps) {
  const [{ of, shown }, setShown] = useState<{ readonly of: string | null; readonly shown: Shown }>({
    of: src,
    shown: 'waiting',
  })
  const state = src === null ? 'missing' : of === src ? shown : 'waiting'
  return (
    <AspectRatio ratio={2 / 3}>
      <div className="poster" style={{ background: gradientOf(title) }}>
        {state === 'missing' && !isSmall ? (
          <Center h="100%" p="xs">
            <Text size="sm" fw={650} lh={1.25} ta="center" lineClamp={5} c="white">
              {title}
            </Text>
          </Center>
        ) : null}
        {state === 'missing' ? null : (
          <img
            src={at(src as string)}
            alt={title}
            data-there={state === 'there' || undefined}
            loading="lazy"
            decoding="async"
            onLoad={() => setShown({ of: src, shown: 'there' })}
            // Also called for an empty response.
            onError={() => setShown({ of: src, shown: 'missing' })}
          />
        )}
      </div>
    </AspectRatio>
  )
}

/** Two dark hues derived from the title, with enough contrast for white text. */
function gradientOf(title: string): string {
  let hash = 0
  for (const letter of title) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 3_600
  const hue = hash / 10
  return `linear-gradient(160deg, hsl(${hue} 42% 34%), hsl(${(hue + 50) % 360} 52% 14%))`
}
