import { compilePatterns, normalizeText } from './normalize-text.ts';

// "before five", "at work", "if …": the wish is about when or where, which is for the model to honor.
const limited = {
  en: '(?! (?:(?:me|us|here|again|this number) )*(?:before|until|till|after|at (?!all|this)|on (?!this)|in the|during|while|when|if|unless|between|so (?:early|late)|right now|this (?:week|morning|afternoon|evening)|today|tonight|tomorrow|(?:early|late)(?:r)?\\b|an? |names))',
  es: '(?! (?:tarde|temprano|antes|despues|hoy|manana|por la|a las|en (?:el|la)|si |cuando))',
  fr: '(?! (?:tot|tard|avant|apres|a |au |pendant|quand|si |le |ce |cet|aujourd|demain))',
  it: '(?! (?:tardi|presto|prima|dopo|alle|oggi|domani|quando|se |la (?:mattina|sera)))',
  pt: '(?! (?:tarde|cedo|antes|depois|hoje|amanha|as |a noite|de manha|quando|se ))',
  nl: '(?! (?:voor|na |om |op |in de|tijdens|als|wanneer|vandaag|morgen|zo ))',
};

const resembling = compilePatterns([
  // English
  `(?<!(?:don't|do not|didn't say|never said|never) )stop (?:calling|phoning|ringing|contacting)(?: (?:me|us|here|this number))?${limited.en}`,
  `(?:don't|do not|never|please not) (?:you )?(?:ever )?(?:call|phone|ring|contact)(?: (?:me|us|here|this number|this house))* (?:again|any ?more|ever)${limited.en}`,
  `(?:(?<=\\| )|(?<=please )|(?<=just )|(?<=and )|(?<=so )|(?<=said ))(?:don't|do not|never) (?:ever )?(?:call|phone|ring|contact) (?:me|us|here|this number|this house)(?= \\|| please| thank)`,
  "(?<!(?:don't|do not) )(?:take|remove|get|delete|drop|scratch) (?:me|us|my (?:number|name|phone number)|this number) (?:off|from|out of)(?: of)? (?:your|the|this|that|all|any)",
  "(?<!(?:don't|do not) )(?:remove|delete|erase|lose) (?:my|this) (?:phone )?number",
  "(?<!(?:don't|do not) )(?:put|add|place) (?:me|us|my number|this number) (?:on|to) (?:your|the|a) (?:do not|don't|no) call",
  'no more (?:phone )?calls(?= \\|| please| from you| to me)',
  "i (?:don't|do not) want (?:any )?(?:more|to (?:get|receive)(?: any)?(?: more)?|(?:of )?your|these|to be)(?: of)?(?: your| these| those)? ?(?:calls|phone calls|called)(?: again| any ?more)?(?= \\||$| from| please)",
  '(?:(?<=\\| )|(?<=please )|(?<=want to )|(?<=like to ))(?:unsubscribe|opt (?:me )?out)',
  // Spanish
  `no (?:me|nos) (?:vuelva[ns]?|vuelvas) a (?:llamar|contactar|telefonear)${limited.es}`,
  `no (?:vuelva[ns]?|vuelvas) a (?:llamar|contactar)(?:me|nos)?${limited.es}`,
  `no (?:me |nos )?llame[ns]? (?:nunca )?mas${limited.es}`,
  `(?:deje[ns]?|deja|dejad|pare[ns]?|para) de llamar(?:me|nos)?${limited.es}`,
  '(?:quite|quiten|saque|saquen|borre|borren|elimine|eliminen)(?:me|nos) de (?:su|la|esa|sus|las) lista',
  '(?:quite|quiten|saque|saquen|borre|borren|elimine|eliminen) mi (?:numero|telefono|nombre)',
  'no quiero (?:recibir )?mas llamadas',
  // German
  'ruf(?:en sie)?(?: (?:mich|uns|hier|bitte|diese nummer))* (?:nicht mehr|nie mehr|nie wieder|nicht wieder|nicht noch ?mal|nicht noch einmal)(?: wieder)? an\\b',
  '(?:nicht mehr|nie wieder|nie mehr) an(?:zu)?rufen',
  'hor(?:en sie)?(?: bitte)? auf(?: \\|)?(?: (?:mich|uns|hier|standig|dauernd|immer))* anzurufen',
  '(?:streich|nehm|losch|entfern|trag)(?:en)? sie (?:mich|uns|meine (?:telefon)?nummer|meinen namen)(?: bitte)? (?:von|aus)',
  '(?:streich|losch|entfern)(?:en)? sie (?:bitte )?meine (?:telefon)?nummer',
  'keine (?:weiteren )?anrufe mehr',
  // French
  `(?:ne )?(?:me|m'|nous|n')? ?(?:r?appelez|telephonez|contactez)(?:[- ](?:moi|nous))? (?:plus jamais|jamais plus|plus)${limited.fr}`,
  `(?:arretez|cessez|arrete) de (?:m'|me |nous )(?:appeler|telephoner|contacter|rappeler)${limited.fr}`,
  `ne plus (?:m'|me |nous )?(?:appeler|telephoner|contacter|rappeler)${limited.fr}`,
  '(?:retirez|enlevez|supprimez|rayez|effacez|otez)[- ](?:moi|nous) de (?:votre|vos|la|cette)',
  '(?:retirez|enlevez|supprimez|rayez|effacez) mon (?:numero|nom)',
  // Italian
  `non (?:mi |ci )?(?:chiami|chiamate|chiamare|chiamatemi|chiamarmi|telefoni|telefonate|richiami|richiamate) (?:mai )?piu${limited.it}`,
  `(?:smetta|smetti|smettete|smettetela|la smetta) di (?:chiamar|telefonar)(?:e|mi|ci)${limited.it}`,
  '(?:mi tolga|mi tolgano|toglietemi|mi cancelli|cancellatemi|mi rimuova|rimuovetemi) d(?:alla|alle|a)',
  '(?:cancelli|cancellate|rimuova|rimuovete|tolga|togliete) il mio numero',
  // Portuguese
  `nao (?:me |nos )?(?:ligue[ms]?|telefone[ms]?|contate[ms]?)(?: para mim| para ca)? (?:nunca )?(?:mais|novamente|de novo|outra vez)${limited.pt}`,
  `pare[m]? de (?:me )?(?:ligar|telefonar)(?:-me)?${limited.pt}`,
  '(?:me )?(?:tire|tirem|retire|retirem|remova|removam)(?:-me| o meu numero| meu numero|) (?:d[ae]s?|de) (?:sua|vossa|lista)',
  '(?:apague|apaguem|remova|removam|retire|retirem) (?:o )?meu numero',
  // Dutch
  `bel (?:mij|me|ons|hier|dit nummer)(?: alstublieft| alsjeblieft)? (?:niet|nooit) (?:meer|weer|nog een keer)${limited.nl}`,
  `(?:stop|hou op|houd op) met (?:mij |me |ons )?(?:te )?bellen${limited.nl}`,
  '(?:haal|verwijder|schrap) (?:mij|me|ons|mijn (?:telefoon)?nummer)(?: alstublieft)? (?:van|uit)',
  'verwijder mijn (?:telefoon)?nummer',
]);

/** How one language says it so that nothing else can be meant: whole clauses, over plain words without politeness. */
interface Unmistakable {
  readonly wishes: readonly string[];
  /** A clear yes to the question whether they want no more calls. */
  readonly yes: string;
}

const unmistakable: readonly Unmistakable[] = [
  {
    wishes: [
      '(?:no )?stop (?:calling|phoning|ringing|contacting)(?: (?:me|us|here|this number|this house))?(?: (?:now|again|any ?more))?',
      "(?:don't|do not|never)(?: ever| you)* (?:call|phone|ring|contact) (?:me|us|here|this number|this house)(?: (?:again|any ?more|ever|ever again))?",
      "(?:don't|do not|never)(?: ever| you)* (?:call|phone|ring|contact) (?:again|any ?more|ever again)",
      '(?:take|remove|get|delete) (?:me|us|my (?:number|name|phone number)|this number) (?:off|from)(?: of)? (?:your|the)(?: calling| call| phone| contact)? lists?',
      "(?:put|add) (?:me|us|my number|this number) (?:on|to) (?:your|the) (?:do not|don't|no) call list",
      '(?:remove|delete|erase|lose) (?:my|this) (?:phone )?number',
      "(?:i (?:don't|do not) want (?:any )?|no )more (?:phone )?calls(?: from you)?",
      "i (?:don't|do not) want to be called (?:again|any ?more)",
      "(?:unsubscribe(?: me)?|(?:i want to |i would like to |i'd like to )?opt (?:me )?out)",
    ],
    yes: "yes|yeah|yep|yup|sure|correct|exactly|absolutely|definitely|certainly|of course|that's right|that is right|that's correct|yes i would|i would|i would like that|i'd like that|please do|do that|never again",
  },
  {
    wishes: [
      'no (?:me|nos) llame[ns]?(?: nunca)? mas',
      'no (?:me|nos) (?:vuelva[ns]?|vuelvas) a llamar(?: nunca)?(?: mas)?',
      'no vuelva[ns]? a llamar(?:me|nos)',
      '(?:deje[ns]?|deja) de llamar(?:me|nos)?',
      '(?:quite|quiten|saque|saquen|borre|borren|elimine|eliminen)(?:me|nos) de (?:su|la) lista',
      '(?:quite|quiten|borre|borren|elimine|eliminen) mi numero',
      'no quiero (?:recibir )?mas llamadas',
    ],
    yes: 'si|claro|claro que si|por supuesto|exacto|correcto|eso es|desde luego|asi es|si lo deseo|si quiero',
  },
  {
    wishes: [
      'ruf(?:en sie)? (?:(?:mich|uns|hier) )?(?:nicht mehr|nie mehr|nie wieder|nicht wieder)(?: wieder)? an',
      '(?:nicht mehr|nie wieder|nie mehr) anrufen',
      '(?:streichen|nehmen|loschen) sie (?:mich|meine (?:telefon)?nummer) (?:von|aus) (?:ihrer|der|eurer) liste',
      '(?:streichen|loschen|entfernen) sie meine (?:telefon)?nummer',
      '(?:ich will |ich mochte )?keine (?:weiteren )?anrufe mehr',
    ],
    yes: 'ja|jawohl|genau|richtig|naturlich|sicher|gerne?|ja gerne?|das mochte ich|ja das mochte ich|unbedingt|auf jeden fall',
  },
  {
    wishes: [
      "(?:ne )?(?:m'|me |nous )(?:r?appelez|contactez|telephonez) plus(?: jamais)?",
      "(?:arretez|cessez) de (?:m'|me |nous )(?:r?appeler|telephoner|contacter)",
      '(?:retirez|enlevez|supprimez|rayez|effacez)-(?:moi|nous) de (?:votre|la) liste',
      '(?:retirez|enlevez|supprimez|effacez) mon numero',
      "(?:je ne veux )?plus d'appels",
    ],
    yes: "oui|ouais|exactement|tout a fait|bien sur|c'est ca|absolument|certainement|volontiers|oui je veux bien|oui je le souhaite",
  },
  {
    wishes: [
      'non (?:mi |ci )(?:chiami|chiamate|telefoni|telefonate|richiami|richiamate) (?:mai )?piu',
      '(?:smetta|smettete|la smetta|smettetela) di (?:chiamar|telefonar)(?:mi|ci)',
      '(?:mi tolga|mi tolgano|toglietemi|mi cancelli|cancellatemi|mi rimuova|rimuovetemi) dalla (?:sua |vostra )?lista',
      '(?:cancelli|cancellate|rimuova|rimuovete|tolga|togliete) il mio numero',
      '(?:non voglio )?piu chiamate',
    ],
    yes: 'si|certo|certamente|esatto|esattamente|va bene|volentieri|si lo desidero|si grazie|assolutamente si',
  },
  {
    wishes: [
      'nao (?:me |nos )ligue[ms]?(?: nunca)? mais',
      'pare[m]? de (?:me |nos )?ligar',
      '(?:me )?(?:tire|tirem|retire|retirem|remova|removam)(?:-me)? da (?:sua |vossa )?lista',
      '(?:apague|apaguem|remova|removam|retire|retirem) (?:o )?meu numero',
      'nao quero (?:receber )?mais (?:ligacoes|chamadas)',
    ],
    yes: 'sim|claro|claro que sim|com certeza|exato|isso|isso mesmo|certo|desejo|desejo sim|quero|quero sim',
  },
  {
    wishes: [
      'bel(?:t u|len)? (?:mij|me|ons) (?:niet|nooit) meer(?: op)?',
      '(?:stop|hou op|houd op) met (?:(?:mij|me|ons) )?(?:te )?bellen',
      '(?:haal|verwijder|schrap) (?:mij|me|ons) (?:van|uit) (?:de|uw|jullie) lijst',
      'verwijder mijn (?:telefoon)?nummer',
      '(?:ik wil )?geen telefoontjes meer',
    ],
    yes: 'ja|jazeker|zeker|graag|ja graag|precies|klopt|dat klopt|inderdaad|natuurlijk|dat wil ik',
  },
];

const wholeClause = (alternatives: readonly string[]) => new RegExp(`^(?:${alternatives.join('|')})$`);
const wishes = wholeClause(unmistakable.flatMap((language) => language.wishes));
const agreeing = wholeClause(unmistakable.map(({ yes }) => yes));

/** Changes nothing about what is asked for. */
const politeness =
  /(?<![a-z0-9'-])(?:please|just|kindly|now|thanks|thank you(?: very much)?|por favor|gracias|bitte|danke|s'il vous plait|s'il te plait|merci|per favore|per cortesia|grazie|la prego|obrigad[oa]|alstublieft|alsjeblieft|bedankt|dank u)(?![a-z0-9'-])/g;
/** Before a clause: how people begin. */
const lead =
  /^(?:(?:no|yes|hey|hi|hello|so|and|ok|okay|well|look|listen|sir|ma'am|oiga|mire|nein|ja|und|also|non|oui|et|alors|nee|en|e|y)\s+)(?=\S)/;

/** Where or when, another way than by phone, or somebody else's words: what is meant is more than the clause says. */
const qualified = compilePatterns([
  'instead|text|texts|e?-?mail|mail|write|until|till|before|after|unless|if|when|while|except|but|only|later|tomorrow|today|tonight|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|he|she|they|ex|says|said|saying|told|keeps|waiting',
  'sino|mejor|escrib[a-z]*|mensajes?|correo|hasta|antes|despues|manana|hoy|cuando|pero|solo|semana|lunes|martes|miercoles|jueves|viernes|sabado|domingo|dice[n]?|dijo',
  'sondern|lieber|schreib[a-z]*|nachricht|bis|vor|nach|morgen|heute|wenn|aber|nur|woche|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|er|sagt[e]?',
  "plutot|ecri[a-z]*|message|courriel|jusqu'[a-z]*|avant|apres|demain|aujourd'hui|quand|mais|seulement|semaine|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|il|elle|dit",
  'invece|piuttosto|scriv[a-z]*|messaggi[oa]?|fino|prima|dopo|domani|oggi|quando|ma|solo|settimana|lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica|dice',
  'mande|mensagem|escrev[a-z]*|ate|antes|depois|amanha|hoje|mas|apenas|segunda|terca|quarta|quinta|sexta|ele|ela|disse',
  'maar|liever|schrijf[a-z]*|bericht|sms|tot|voor|vandaag|als|wanneer|alleen|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|hij|zij|zegt',
  '[0-9]+',
]);

const clausesOf = (words: string) =>
  normalizeText(words)
    .replace(politeness, ' ')
    .split('|')
    .map((clause) => clause.replace(/\s+/g, ' ').trim())
    .filter((clause) => clause !== '');

function says(clause: string, what: RegExp): boolean {
  return what.test(clause) || what.test(clause.replace(lead, ''));
}

function isUnmistakable(words: string): boolean {
  // "Stop calling?" is how people repeat what they were told.
  if (words.includes('?')) return false;
  const clauses = clausesOf(words);
  const others = clauses.filter((clause) => !says(clause, wishes));
  return (
    others.length < clauses.length &&
    !others.some((clause) => qualified.some((pattern) => pattern.test(clause)))
  );
}

/**
 * Whether the callee asks not to be called again, in any of the languages we have phrases in, independently of the
 * model. `clear`: in words that mean nothing else. `likely`: in words that may mean something else, such as "take me off
 * the waiting list" or "my ex won't stop calling me". A wish about the time or place of calls is none.
 */
export function judgeOptOut(words: string): 'clear' | 'likely' | 'none' {
  if (isUnmistakable(words)) return 'clear';
  const plain = normalizeText(words);
  return resembling.some((pattern) => pattern.test(plain)) ? 'likely' : 'none';
}

/** Whether this is a clear yes to the question whether they want no more calls. */
export function confirmsOptOut(words: string): boolean {
  if (judgeOptOut(words) === 'clear') return true;
  const clauses = clausesOf(words);
  const isClear = (clause: string) => says(clause, agreeing) || says(clause, wishes);
  return !words.includes('?') && clauses.length > 0 && clauses.every(isClear);
}
