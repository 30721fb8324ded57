import type { Language } from './understand.ts';

/** Several kilobytes of markdown with everything that an agent's answer may hold. */
export function longAnswer(language: Language): string {
  return language === 'de' ? GERMAN : ENGLISH;
}

const ENGLISH = `## A week over the passes

This is a long answer with a bit of everything in it: headings, lists, a table, code and a quotation. **It was written beforehand**; I follow fixed rules and am *no AI model*.

### What to take along

1. Papers
   - passport or identity card
   - tickets, printed or on the phone
2. For the road
   - [x] an enamel mug (\`prod_2f81\`)
   - [x] the road atlas (\`prod_5be2\`)
   - [ ] a lantern for the tunnel café
     - folded flat, it fits beside the atlas
3. Patience

### Seven days at a glance

| Day | From | To | Pass | Height in m |
| :-- | :-- | :-- | :-: | --: |
| Monday | Bern | Andermatt | Susten | 2224 |
| Tuesday | Andermatt | Airolo | Gotthard | 2106 |
| Wednesday | Airolo | Thusis | Lukmanier | 1915 |
| Thursday | Thusis | Chiavenna | Splügen | 2115 |
| Friday | Chiavenna | St. Moritz | Maloja | 1815 |
| Saturday | St. Moritz | Tirano | Bernina | 2328 |
| Sunday | Tirano | Milan | – | 122 |

The heights are those of the signs at the top. A coach takes the bends more slowly than a car; count on **25 to 30 km an hour** on the way up and a little more on the way down.

### On the way

> A road over a mountain is a long sentence: it turns back on itself several times before it says where it is going.
>
> Whoever looks out of the window has understood it already.

Above the tree line the weather changes within a quarter of an hour. Ask at the last village before the pass whether it is open, take the earlier coach rather than the later one, and keep something warm at the top of the bag, not at the bottom. The cafés close at six, most of them without saying so beforehand.

#### Reckoning the journey

The time for a climb can be reckoned in three lines:

\`\`\`js
function climbingHours(heightMetres, lengthKilometres, speedKmh = 28) {
  const pauses = Math.floor(heightMetres / 800) * 0.25;
  return lengthKilometres / speedKmh + pauses;
}

console.log(climbingHours(1780, 46).toFixed(1)); // 2.1
\`\`\`

And the same on the command line, for those who like it short:

\`\`\`sh
echo "46 / 28 + 0.5" | bc -l
\`\`\`

### Small print

- Distances are rounded to whole kilometres.
- Opening times differ from year to year; the atlas names the usual month:
  * Susten and Splügen from June,
  * Lukmanier and Bernina all the year round, as a rule,
  * Gotthard from the end of May, over the old cobbles of the ~~Val Tremorta~~ *Val Tremola*.
- Railway times are not given here. They are on the notice board, and the notice board is right.

---

That was the whole of it. If you would like to see what an order looks like instead, write “order 2 units of prod_2f81”.`;

const GERMAN = `## Eine Woche über die Pässe

Das ist eine lange Antwort, in der von allem etwas steckt: Überschriften, Listen, eine Tabelle, Code und ein Zitat. **Sie stand schon vorher fest**; ich folge festen Regeln und bin *kein KI-Modell*.

### Was mitkommt

1. Papiere
   - Pass oder Identitätskarte
   - Fahrkarten, gedruckt oder auf dem Telefon
2. Für unterwegs
   - [x] ein Emaillebecher (\`prod_2f81\`)
   - [x] der Strassenatlas (\`prod_5be2\`)
   - [ ] eine Laterne für das Tunnelcafé
     - flach gefaltet passt sie neben den Atlas
3. Geduld

### Sieben Tage auf einen Blick

| Tag | Von | Nach | Pass | Höhe in m |
| :-- | :-- | :-- | :-: | --: |
| Montag | Bern | Andermatt | Susten | 2224 |
| Dienstag | Andermatt | Airolo | Gotthard | 2106 |
| Mittwoch | Airolo | Thusis | Lukmanier | 1915 |
| Donnerstag | Thusis | Chiavenna | Splügen | 2115 |
| Freitag | Chiavenna | St. Moritz | Maloja | 1815 |
| Samstag | St. Moritz | Tirano | Bernina | 2328 |
| Sonntag | Tirano | Mailand | – | 122 |

Die Höhen sind die der Schilder auf der Passhöhe. Ein Bus nimmt die Kehren langsamer als ein Auto; rechne bergauf mit **25 bis 30 km in der Stunde** und bergab mit etwas mehr.

### Unterwegs

> Eine Strasse über einen Berg ist ein langer Satz: Sie kehrt mehrmals um, bevor sie sagt, wohin sie will.
>
> Wer aus dem Fenster schaut, hat sie schon verstanden.

Über der Baumgrenze ändert sich das Wetter innert einer Viertelstunde. Frag im letzten Dorf vor dem Pass, ob er offen ist, nimm lieber den früheren Bus als den späteren, und leg etwas Warmes oben in die Tasche, nicht zuunterst. Die Cafés schliessen um sechs, die meisten ohne Ankündigung.

#### Die Fahrzeit ausrechnen

Die Zeit für einen Anstieg ergibt sich in drei Zeilen:

\`\`\`js
function climbingHours(heightMetres, lengthKilometres, speedKmh = 28) {
  const pauses = Math.floor(heightMetres / 800) * 0.25;
  return lengthKilometres / speedKmh + pauses;
}

console.log(climbingHours(1780, 46).toFixed(1)); // 2.1
\`\`\`

Und dasselbe auf der Kommandozeile, für alle, die es kurz mögen:

\`\`\`sh
echo "46 / 28 + 0.5" | bc -l
\`\`\`

### Kleingedrucktes

- Distanzen sind auf ganze Kilometer gerundet.
- Die Öffnungszeiten sind jedes Jahr andere; der Atlas nennt den üblichen Monat:
  * Susten und Splügen ab Juni,
  * Lukmanier und Bernina in der Regel das ganze Jahr,
  * Gotthard ab Ende Mai, über das alte Pflaster der ~~Val Tremorta~~ *Val Tremola*.
- Bahnzeiten stehen hier keine. Sie stehen am Anschlag, und der Anschlag hat recht.

---

Das war alles. Wer stattdessen eine Bestellung sehen möchte, schreibt „bestelle 2 Stück von prod_2f81“.`;
