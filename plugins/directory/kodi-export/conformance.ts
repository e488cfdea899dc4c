// A library of Kodi in one file for the checks of the format. Texts by the names of their files.

export const HEAT = `<movie>
    <title>Heat</title>
    <originaltitle>Heat</originaltitle>
    <userrating>9</userrating>
    <plot>A thief &amp; a detective.</plot>
    <playcount>2</playcount>
    <lastplayed>2024-07-01 21:04:05</lastplayed>
    <id>tt0113277</id>
    <uniqueid type="tmdb">949</uniqueid>
    <uniqueid type="imdb" default="true">tt0113277</uniqueid>
    <premiered>1995-12-15</premiered>
    <fileinfo><streamdetails><video><codec>hevc</codec></video></streamdetails></fileinfo>
    <resume><position>0.000000</position><total>0.000000</total></resume>
    <actor><name>Al Pacino</name><order>0</order></actor>
</movie>`
export const episode = (season: number, number: number, more: string) => `<episodedetails>
    <title>Episode ${number}</title>
    <showtitle>The Wire</showtitle>
    <season>${season}</season>
    <episode>${number}</episode>
    ${more}
</episodedetails>`
export const WIRE = (episodes: string) => `<tvshow>
    <title>The Wire</title>
    <userrating>10</userrating>
    <uniqueid type="tvdb" default="true">79126</uniqueid>
    <premiered>2002-06-02</premiered>
    ${episodes}
</tvshow>`
export const PLAYED = '<playcount>1</playcount><lastplayed>2024-07-02 01:00:00</lastplayed>'

const BEGUN =
  '<playcount>0</playcount><lastplayed>2024-07-03 01:00:00</lastplayed><resume><position>600.000000</position><total>3600.000000</total></resume>'

export default {
  'kodi_videodb_2026-01-01/videodb.xml': `<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>
<videodb>
  <version>1</version>
  ${HEAT}
  ${WIRE(episode(0, 1, `<uniqueid type="tvdb">333</uniqueid>${PLAYED}`) + episode(1, 2, '<playcount>0</playcount>') + episode(1, 3, BEGUN))}
  <musicvideo><title>Song</title><playcount>3</playcount></musicvideo>
  <paths><path><url>/v/</url></path></paths>
</videodb>
`,
}
