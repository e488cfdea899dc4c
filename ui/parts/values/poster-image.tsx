// A poster served by Playhead. Without one: the title on colours of its own, the same size.
import { AspectRatio, Center, Image, Text } from '@mantine/core'
import { useState } from 'react'
import { at } from '../../api/base.ts'

export interface PosterImageProps {
  /** null if there is no poster. */
  readonly src: string | null
  readonly title: string
}

export function PosterImage({ src, title }: PosterImageProps) {
  const [failed, setFailed] = useState<string | null>(null)
  return (
    <AspectRatio ratio={2 / 3}>
      {src === null || failed === src ? (
        <Center className="no-poster" p="xs" style={{ background: gradientOf(title) }}>
          <Text size="xs" fw={600} ta="center" lineClamp={4} c="white">
            {title}
          </Text>
        </Center>
      ) : (
        <Image
          src={at(src)}
          alt={title}
          radius="sm"
          bg="var(--row-line)"
          loading="lazy"
          decoding="async"
          onError={() => setFailed(src)}
        />
      )}
    </AspectRatio>
  )
}

/** Two dark hues that a title always has; white text on them can be read. */
function gradientOf(title: string): string {
  let hash = 0
  for (const letter of title) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 3_600
  const hue = hash / 10
  return `linear-gradient(160deg, hsl(${hue} 45% 32%), hsl(${(hue + 50) % 360} 55% 16%))`
}
