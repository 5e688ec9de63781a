/**
 * Which languages a span of text shows by its most frequent words. Words as they are folded, chosen by hand from common
 * knowledge of these languages: articles, pronouns, conjunctions, auxiliary verbs.
 */
import type { LanguageCode } from './open-stemmer.js';

const frequentWords: Readonly<Partial<Record<LanguageCode, string>>> = {
  en: 'the of and to in is that for it was with as be by on are this from at which not have has were we or an can but',
  da: 'og i at det er en til af den pa for med de som der ikke et har om var jeg han vi kan skal blev',
  de: 'der die und in den von zu das mit sich des auf fur ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem uber zum zur kann wir war vor oder',
  es: 'de la que el en y a los se del las un por con no una su para es al lo como mas o pero sus le ha este son fue ser esta',
  fi: 'ja on ei etta se han ovat oli mutta kuin myos joka tai sen niin jos voi ole hanen minun tama',
  fr: 'de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec ou ont nous sa cette elle aux',
  hu: 'a az es hogy nem is egy ez meg van mint csak volt de ha el vagy azt kell lehet',
  it: 'di e il la che in un a per una sono con non del si da le dei nel alla della come gli ha al piu anche lo',
  nl: 'de van een en het in is op te dat zijn met voor niet aan er om ook als door bij wordt die naar uit worden kan',
  no: 'og i det som er en til pa for med at av den ikke de har et om var jeg han vi kan skal ble',
  pt: 'de a o que e do da em um para com nao uma os no se na por mais as dos como mas ao ele das foi sao',
  ro: 'de si in la a cu nu pe care o un din ce este mai pentru sa au fost se sunt al prin',
  sv: 'och i att det som en pa ar av for med till den har de inte om ett var jag han vi kan ska blev',
  tr: 've bir bu da de icin ile olarak cok daha en gibi olan var ne kadar sonra degil ama',
};

const known = new Map<LanguageCode, ReadonlySet<string>>(
  Object.entries(frequentWords).map(([code, words]) => [code as LanguageCode, new Set(words.split(' '))]),
);

/** Words of a text whose language is detected together: a paragraph, or a page of a list. */
export const wordsOfPart = 64;
/** At least this many have to be frequent ones, so that chance does not decide. */
const minFrequency = 8;
/** A language with more than this share of the best one's words is in the text as well, or too similar to it. */
const likeBest = 0.3;

/** The languages that the words show, all written in Latin letters; all of them in an unclear case. */
export function showLanguages(codes: readonly LanguageCode[], words: readonly string[]): readonly LanguageCode[] {
  const counts = codes.map((code) => {
    const frequent = known.get(code);
    return words.reduce((count, word) => (frequent?.has(word) === true ? count + 1 : count), 0);
  });
  const best = Math.max(...counts);
  if (best < minFrequency) return codes;
  return codes.filter((_, index) => (counts[index] ?? 0) > likeBest * best);
}
