import { compilePatterns } from '../languages/normalize-text.ts';

/** Who or what may be heard. */
export type AnswerKind = 'person' | 'voicemail' | 'screening' | 'menu' | 'mailbox-full' | 'fax';

interface Wordings {
  /** Hardly anybody else says this. */
  readonly strong: readonly RegExp[];
  /** Others say it too. */
  readonly weak: readonly RegExp[];
}

const wordings = (strong: readonly string[], weak: readonly string[]): Wordings => ({
  strong: compilePatterns(strong),
  weak: compilePatterns(weak),
});

const key = {
  en: '(?:the )?(?:\\d|zero|one|two|three|four|five|six|seven|eight|nine|star|pound|hash)',
  de: '(?:sie )?(?:bitte )?(?:die )?(?:taste )?(?:\\d|null|eins|zwei|drei|vier|funf|sechs|sieben|acht|neun|raute|stern)',
  fr: '(?:(?:sur )?(?:la touche |le )?)(?:\\d|zero|un|deux|trois|quatre|cinq|six|sept|huit|neuf|etoile|diese)',
  es: '(?:el |la tecla )?(?:\\d|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|asterisco|almohadilla|numeral)',
  it: '(?:il )?(?:tasto )?(?:\\d|zero|uno|due|tre|quattro|cinque|sei|sette|otto|nove|asterisco|cancelletto)',
  nl: '(?:een |de )?(?:\\d|nul|een|twee|drie|vier|vijf|zes|zeven|acht|negen|sterretje|hekje)',
  pt: '(?:a tecla |o )?(?:\\d|zero|um|dois|tres|quatro|cinco|seis|sete|oito|nove|asterisco|cardinal|estrela)',
};

const namingKeys: readonly string[] = [
  `(?:press|dial|push|hit|enter|touch) ${key.en}`,
  `(?:druck(?:e|en)|wahlen) ${key.de}`,
  `(?:tapez|appuyez|faites|composez) ${key.fr}(?! de votre fax)`,
  `(?:pulse|marque|oprima|presione|digite|teclee) ${key.es}`,
  `(?:premi|prema|premere|premete|digiti|digita|digitare) ${key.it}`,
  `(?:toets|kies|druk(?: op)?) ${key.nl}`,
  `(?:digite|prima|tecle|pressione|marque|carregue) ${key.pt}`,
];

/** Over plain words, in every language we have phrases in; `|` is where a sentence begins or ends. */
export const wordingsByKind: Readonly<Record<AnswerKind, Wordings>> = {
  person: wordings(
    [
      "wrong number|(?:what|who) (?:do|are) you (?:want|looking for)|how are you(?: doing)?|can i call you (?:back|later)|i'm (?:in a meeting|driving|busy|at work)(?: can| right now| call)",
      'verwahlt|falsche nummer|was wollen sie|ich bin (?:im auto|in einer besprechung|beschaftigt)|sie sprechen mit',
      'trompe de numero|faux numero|que voulez-vous|je suis en reunion|je conduis',
      'se ha equivocado|numero equivocado|que (?:quiere|desea|se le ofrece)|estoy (?:manejando|conduciendo|en una reunion)',
      'sbagliato numero|che cosa vuole|cosa desidera|sono in riunione|sto guidando',
      'verkeerd verbonden|verkeerde nummer|wat wilt u|ik zit in een (?:vergadering|overleg)',
      'foi engano|numero errado|o que (?:quer|deseja)|estou (?:em reuniao|dirigindo|a conduzir)',
      "who(?: is|'s| am i)? (?:this|calling|speaking|it)(?: please)?(?= \\|)",
      'how (?:can|may) (?:i|we) (?:help|assist|direct)',
      "(?:i'm|i am|we're|we are) here(?= \\|)",
      "(?:don't|do not) hang up",
      '(?:hang|hold) on a (?:second|sec|minute|moment)|give me a (?:second|sec|minute|moment)|one (?:second|sec) \\|',
      'can you hear me|(?:can|could|may|shall|should) i (?:take|give)(?: [a-zß]+)? (?:a )?message',
      "what(?: is|'s) (?:this|it|that) (?:about|regarding|concerning)(?= \\|)",
      '\\| (?:[a-zß]+ )?speaking \\|',
      // German
      '(?:kann|soll|darf) ich (?:ihm |ihr |ihnen )?(?:etwas|was) ausrichten|wer (?:ist|spricht)(?: denn)? (?:da|dort|dran|bitte)|wer sind sie|mit wem spreche ich',
      'was kann ich fur (?:sie|dich) tun|wie kann ich (?:ihnen|dir) (?:weiter)?helfen',
      "worum geht (?:es|'s)(?: denn)?|um was geht",
      '(?:moment|sekunde),? ich bin (?:gerade|grade)|bleiben sie kurz dran',
      '(?:ich bin|bin) (?:ja )?(?:da|dran)(?= \\|)|ja bitte(?= \\|)',
      // French
      "qui est (?:a l'appareil|la|ce)|c'est (?:de la part de )?qui|de la part de qui|a qui ai-je l'honneur",
      "(?:que|en quoi) puis-je|je vous ecoute|a votre ecoute|j'ecoute(?= \\|)|c'est a quel sujet",
      "c'est (?:bien )?moi|je suis la(?= \\|)|vous m'entendez|(?:puis-je|je peux|voulez-vous) (?:prendre|que je prenne|laisser) un message|une seconde|attendez",
      // Spanish
      '(?:quien|con quien) (?:es|habla|llama|hablo)|de parte de quien',
      '(?:en que|como) (?:puedo|podemos) ayudar(?:le|te|les)?|le (?:habla|atiende) (?!el (?:buzon|contestador))|\\| (?:si )?(?:\\| )?(?:diga|digame|bueno|alo|mande) \\|',
      '(?:quiere|desea) (?:que le de|dejarle|dejar) (?:algun |un )?(?:recado|mensaje)|soy yo(?= \\|)|estoy aqui|me (?:oye|escucha)|espere un (?:momento|momentito|segundo)|un momentito',
      // Italian
      'pronto(?= \\|)|chi (?:parla|e|chiama|sei)(?= \\|)|con chi parlo',
      'come posso (?:aiutar|esser)|in cosa posso|mi dica|sono io(?= \\|)|sono qui(?= \\|)|mi sente|un attimo',
      // Dutch
      'met wie (?:spreek|heb) ik|wie (?:is|bent) (?:daar|u|dit)|wie is er',
      'waar(?:mee)? kan ik (?:u |je )?(?:mee )?helpen|u spreekt met|zeg(?:t u)? het maar|waar gaat het over',
      '\\| (?:ja )?(?:hallo )?met (?!de (?:voicemail|mailbox))(?:[a-zß]+ ){1,3}\\||ik ben er(?= \\|)|momentje|hoort u mij',
      // Portuguese
      'quem (?:fala|e|esta (?:a falar|falando)|ta falando|gostaria)|com quem (?:falo|estou falando)',
      '(?:em que|como|no que) posso (?:ajudar|ser util)|do que se trata|sou eu(?= \\|)|esta la(?= \\|)|\\| alo \\|',
      'estou aqui|(?:me ouve|esta me ouvindo)|um (?:momentinho|segundinho|minutinho)',
    ],
    [
      'hello|hi|hey|good (?:morning|afternoon|evening)|speaking|this is (?!the )',
      'hallo|guten (?:tag|morgen|abend)|gruss gott|moin|servus|mein name ist|sie sprechen mit|am apparat',
      'allo|bonjour|bonsoir|oui',
      'hola|buen(?:os|as) (?:dias|tardes|noches)|soy|si(?= \\|)',
      'buon(?:giorno|asera)|salve|ciao|sono',
      'goede(?:morgen|middag|navond)|hoi|u spreekt',
      'ola|oi|bom dia|boa (?:tarde|noite)|fala',
      "what(?: is|'s) (?:it|this) about|go ahead|sorry|listen",
    ],
  ),
  voicemail: wordings(
    [
      "(?:shoot|send|drop) (?:me|us) (?:a |an )?(?:text|line|message|email)|(?:please |just )?text (?:me )?instead|(?:i'm |i am )?(?:probably|currently) (?:in class|asleep|away|out|on vacation)|(?:don't|never) (?:check|listen to) (?:my )?(?:voicemail|messages)|missed your call|sorry i missed you",
      'schreib(?:t|en sie)? (?:mir|uns)|(?:kann|konnen) (?:grad|gerade|leider) nicht (?:ran|drangehen|rangehen)|gerade verpasst|(?:betriebsferien|im urlaub)|hinterlass(?:en|t)?(?: sie)?(?: uns| mir)? (?:namen?|ihre|eure)',
      'envoie(?:z)?[- ](?:moi|nous) un|(?:suis|chuis|sommes) pas (?:la|dispo)|en conges|renouveler votre appel',
      'mand[ae](?:me|nos)? un|(?:estoy|estamos) de vacaciones|yo me comunico',
      '(?:mandami|mandatemi|scrivimi|scrivetemi|inviami) (?:un )?|(?:siamo|sono) in ferie|non ascolto|(?:vi|le|ti) risponder(?:emo|o)',
      '(?:stuur|app)(?: [a-zß]+)? (?:me |mij |ons )?(?:een )?(?:appje|app|sms|berichtje|mail)|(?:wij zijn|ik ben) (?:aan het werk|op vakantie|met vakantie)|je belt met',
      'mand[ae] (?:uma |um )?(?:mensagem|zap|whats[a-zß]*|sms)|(?:estou|estamos) de ferias|envi[ea] (?:uma )?mensagem',
      'leave (?:me |us |him |her )?(?:a |an |your |the )?(?:brief |short |detailed |quick )?(?:message|voicemail|voice message|name)',
      '(?:after|at|following) the (?:tone|beep|signal)',
      'record (?:your|a) (?:message|voice message)|(?:finished|done) recording',
      "(?:can't|cannot|can not|unable to|not able to) (?:come to|get to|take|answer|pick up)(?: (?:the|your|my|this))? (?:phone|call|calls)",
      '(?:is|are|am) (?:currently )?(?:not available|unavailable|not able to answer|not answering)(?! (?:in|on|for))',
      'voice ?mail|answering machine|automatic voice|voice message(?:s| system)|answering service',
      '(?:get|be) back to you|(?:call|phone|ring) you back|return your call',
      'you know what to do|(?:office|we) (?:is|are) (?:now |currently )?closed',
      // German
      'anrufbeantworter|mailbox von|(?:die|meine|unsere) (?:mailbox|sprachbox)',
      '(?:nach|mit) dem (?:signalton|ton|piep(?:ton|s)?|signal)',
      '(?:hinterlass|hinterlasst|hinterlassen|sprich|sprecht|sprechen)(?: sie)?(?: (?:uns|mir|einfach|bitte))* (?:eine |ihre |deine |eure )?(?:kurze )?(?:nachricht|mitteilung)|nachricht hinterlassen',
      '(?:nicht|momentan|zurzeit) (?:erreichbar|zu erreichen|besetzt|zu hause)|nicht ans telefon',
      '(?:rufe|rufen|melden|melde)(?: (?:dich|sie|euch|uns|mich|ich|wir))* (?:umgehend |so schnell wie moglich |schnellstmoglich |baldmoglichst )?(?:zuruck|bei ihnen|bei dir)',
      '(?:ausserhalb|außerhalb) unserer|unsere (?:geschafts|offnungs|buro)(?:zeiten|stunden)(?: sind)?',
      // French
      '(?:sur|bien sur) (?:le repondeur|la messagerie|la boite vocale)|repondeur|messagerie vocale|boite vocale',
      '(?:laisser?|laissez)(?:-(?:moi|nous))?(?: (?:moi|nous))? (?:un|votre|vos|ton) (?:petit )?(?:message|mot|nom|coordonnees)|laisser (?:vos|votre) (?:nom|coordonnees)',
      '(?:apres|au) le? ?(?:bip|signal)(?: sonore)?',
      '(?:pas|plus) (?:disponible|joignable)|(?:ne )?(?:peux|pouvons|peut) pas (?:vous |te )?repondre',
      'je (?:vous|te) rappelle(?:rai)?|nous vous (?:rappellerons|recontacterons)|(?:bureaux|cabinet|magasin|standard)(?: [a-zß]+)? (?:sont|est)(?: [a-zß]+)? fermee?s?',
      // Spanish
      'buzon(?: de voz)?|contestador(?: automatico)?',
      '(?:deja|deje|dejanos|dejenos|dejame|dejeme|grabe|graba) (?:un |su |tu |el )?(?:mensaje|recado|nombre)',
      '(?:despues|luego) (?:de la senal|del tono|del pitido|de oir)',
      '(?:no )?(?:puedo|podemos|puede) (?:atender|contestar|responder)(?:te|le|les|lo)?|no (?:se encuentra|esta) disponible|apagado o fuera',
      '(?:te|le|os|les) (?:llamo|llamare|llamaremos|devolver(?:e|emos))|devolver(?:e|emos) la llamada|no estamos en casa|(?:estamos|esta|permanece) (?:ya )?cerrad[oa]s?',
      // Italian
      'segreteria(?: telefonica)?',
      '(?:lascia|lasci|lasciate|lasciami|lasciateci|lasciare|lasciarci) (?:un |il |il tuo |il suo |il vostro |pure un )?(?:messaggio|nome|recapito|contatto)',
      '(?:dopo|al) (?:il )?(?:segnale(?: acustico)?|bip|tono)',
      'non (?:posso|possiamo|puo) rispondere|non (?:e|sono|siamo)(?: al momento| in questo momento)? (?:disponibil[ei]|raggiungibile|in casa)',
      '(?:ti|vi|la) (?:richiamo|richiamer[oa]|richiameremo|richiamiamo)|uffici sono|(?:siamo|siamo ora) (?:chiusi|fuori)',
      // Dutch
      '(?:de |mijn )?voicemail van|antwoordapparaat',
      '(?:na|voor) de (?:piep|toon|pieptoon|bieptoon)',
      '(?:spreek|laat)(?: [a-zß]+){0,3} (?:bericht|boodschap|iets|naam|telefoonnummer)(?: [a-zß]+){0,3} (?:in|achter)|(?:bericht|boodschap) (?:inspreken|achterlaten)|spreek (?:iets |wat )?in',
      '(?:niet (?:bereikbaar|beschikbaar|opnemen|thuis|aanwezig)|niet de telefoon)|(?:even|nu) niet (?:opnemen|bereikbaar)',
      '(?:bel|bellen)(?: (?:ik|wij|we|u|je|jou))+ (?:zo (?:snel|spoedig) mogelijk |later )?terug|(?:wij|we) zijn(?: [a-zß]+){0,4} gesloten|(?:openings|kantoor)(?:tijden|uren)',
      // Portuguese
      'caixa postal|correio de voz|atendedor|secretaria eletronica',
      '(?:deixe|deixa|grave)(?: (?:a|o))?(?: (?:sua|seu|um|uma|teu|tua))? (?:mensagem|recado|nome)',
      '(?:apos|depois d[oe]) (?:o )?(?:sinal|bip|tom|apito)',
      'nao (?:posso|podemos|pode) atender|nao esta disponivel|desligado ou fora',
      '(?:ligo|ligarei|ligaremos|retorno|retornarei|retornaremos|entraremos em contact?o|entrarei em contact?o)|fora do (?:nosso )?horario|(?:estamos|encontramo-nos) (?:encerrados|fechados)',
    ],
    [
      "you(?:'ve| have)? reached|you're through to|talk to you (?:later|soon)|try (?:again|me) later|business hours|opening hours|office hours|next business day|if this is an emergency|as soon as (?:i|we) can|as soon as possible|mailbox",
      'erreicht|verbunden mit dem|mailbox|name und|ihren namen und ihre (?:telefon)?nummer|bin gerade nicht da|spater|vorubergehend',
      "vous etes (?:bien )?(?:sur|chez)|des que possible|horaires d'ouverture|pour l'instant|pour le moment|actuellement",
      'has llamado a|lo antes posible|en este momento|ahora mismo|su nombre y (?:numero|telefono)|horario',
      'al momento|in questo momento|appena possibile|avete (?:raggiunto|chiamato)|orari|nome e (?:numero|recapito)',
      'bent verbonden|op dit moment|momenteel|zo snel mogelijk|naam en (?:telefoon)?nummer|ben er even niet|probeer het later',
      'voce ligou para|ligou para|no momento|de momento|assim que possivel|horario de (?:funcionamento|atendimento)|nome e (?:telefone|numero)|neste momento',
    ],
  ),
  screening: wordings(
    [
      "(?:what's|what is) your name and|identify yourself|purpose of your call|(?:i'm|i am|this is) (?:the |an? |his |her )?(?:[a-zß]+ )?assistant (?:of|for|recording|to|answering)|(?:person|someone) you(?:'re| are) trying to reach(?! is not)",
      'wer sind sie und (?:worum|warum|was|weshalb)|anrufprufung|(?:gebe|leite) (?:ich )?(?:das|es|sie) weiter',
      'qui etes-vous et (?:pourquoi|que)|je (?:lui )?transmets|assistante? de (?:monsieur|madame)',
      'quien es usted y (?:por que|para que)|(?:se lo|le) (?:transmito|paso el recado)|asistente de (?:don|dona|el senor|la senora)',
      'chi (?:e|sei) e (?:perche|per quale|cosa)|lo riferisco|assistente d(?:el signor|ella signora|i)',
      'wie bent u en (?:waar|waarom|waarvoor)|ik geef het door|geef ik het door|assistent van',
      'quem e e (?:por que|qual|o que)|eu transmito|assistente d(?:o senhor|a senhora)',
      'screening (?:service|assistant|calls|your call)|call (?:screening|assistant|screener)|(?:screens|screening) (?:his|her|their|your|this) calls?',
      '(?:say|state|give|record|tell me|provide) (?:me )?your name and (?:the )?(?:why|what|reason|purpose)',
      "(?:see|check|find out|ask) (?:if|whether) (?:they|he|she|this person|the person)(?:'s|'re| is| are| can| will| wants?)",
      "before i (?:try to )?connect you|who(?: is|'s) calling and (?:what|why)",
      "tell me who(?: is|'s) calling|name and (?:the )?reason for (?:your call|calling)|reason for your call",
      // German
      '(?:ihren|deinen) namen und (?:den grund|warum|weshalb|den anlass|das anliegen|ihr anliegen)|grund (?:ihres|des) anrufs|anruf-?(?:filter|assistent)',
      '(?:prufe|frage nach|schaue|sehe|frage)(?: nach)? \\|? ?(?:ob|nach ob) (?:die person|er|sie|herr|frau)',
      // French
      "(?:nom|identite) et (?:le motif|la raison|l'objet) de (?:votre|l') ?appel|(?:motif|raison) de (?:votre|l')? ?appel|filtrage|filtre (?:ses|les|vos) appels",
      '(?:vois|voir|verifie|verifier|demande|demander) si (?:votre correspondant|cette personne|la personne|il|elle|m(?:onsieur|adame))',
      // Spanish
      'nombre y (?:el motivo|el asunto|la razon|por que)|motivo de (?:su|la|tu) llamada|filtra (?:sus|las) llamadas|filtro de llamadas',
      '(?:compruebo|comprobar|ver|veo|verifico|consulto|averiguo) si (?:esta persona|la persona|puede|esta disponible|el|ella|quiere)',
      // Italian
      'nome e (?:il motivo|la ragione|perche)|motivo della (?:sua )?(?:chiamata|telefonata)|filtro (?:delle )?chiamate|filtra le chiamate',
      '(?:vedo|verifico|controllo|vedere|chiedo) se (?:la persona|puo|e disponibile|lui|lei|vuole)',
      // Dutch
      'naam en (?:de reden|waarom|waarvoor|waarover|het doel)|reden van (?:uw|je) (?:telefoontje|oproep|gesprek)|(?:oproep|gespreks)-?(?:screening|filter)',
      '(?:kijk|vraag|controleer|ga na) of (?:deze persoon|de persoon|hij|zij|ze|meneer|mevrouw)',
      // Portuguese
      'nome e (?:o motivo|a razao|o assunto|por que)|motivo d[ao] (?:sua )?(?:chamada|ligacao|telefonema)|filtro de chamadas|filtra (?:as )?chamadas',
      '(?:ver|verifico|verificar|vejo|confirmo|consulto) se (?:a pessoa|ela|ele|pode|esta disponivel|quer)',
    ],
    [
      "stay on the line|hold the line|person you(?:'re| are) calling|what (?:you're|you are|this is|are you) calling (?:about|for)|(?:what|regarding) this is (?:about|regarding)|take your call",
      'bleiben sie (?:bitte )?(?:dran|am apparat|in der leitung)|der angerufene|warum sie anrufen|anruf annehmen',
      "restez en ligne|ne quittez pas|la personne que vous appelez|prendre (?:l'|votre )appel",
      '(?:espere|mantengase) en (?:la )?linea|la persona a la que llama',
      '(?:resti|rimanga) in linea|la persona che sta chiamando',
      'blijf (?:alstublieft )?aan de lijn|degene die u belt|waarvoor u belt',
      '(?:fique|aguarde|permaneca) (?:na|em) linha|a pessoa para quem',
    ],
  ),
  menu: wordings(
    [
      'in a few words|you can say (?:things like|something like)|say (?:things like|something like|agent|representative|main menu|yes or no)|number [a-z0-9]* in (?:the queue|line)|for example(?: you can)? say',
      'in wenigen worten|sagen sie (?:zum beispiel|einfach)|zum beispiel \\|',
      'en quelques mots|dites (?:simplement|par exemple|oui ou)|par exemple',
      'en pocas palabras|diga (?:por ejemplo|si o no)|por ejemplo',
      'in poche parole|dica (?:per esempio|si o no)|per esempio',
      'in (?:een paar|enkele) woorden|vertel (?:kort|in het kort)|zeg (?:bijvoorbeeld|ja of nee)|bijvoorbeeld',
      'em poucas palavras|diga (?:por exemplo|sim ou nao)|por exemplo',
      ...namingKeys,
      'main menu|menu options|following (?:options|menu)|(?:account|extension|order|member|id) number followed|followed by the (?:pound|hash|star)',
      "(?:your party's|the) extension|valid (?:choice|option|selection|entry)|say or (?:enter|press)|please select (?:one|from)",
      'next available (?:agent|representative|operator|advisor)|(?:agents|representatives|operators|advisors|lines) are (?:currently |all )*(?:busy|assisting|helping)|your call is (?:very )?important|call (?:may|will) be (?:recorded|monitored)|(?:transfer|connect) (?:you|your call)|you are (?:caller )?number',
      // German
      '(?:rautetaste|sterntaste|hauptmenu)|(?:kunden|vertrags|rechnungs)nummer ein|keine gultige (?:eingabe|auswahl)',
      '(?:alle|unsere|alle unsere)(?: [a-zß]+)? (?:mitarbeiter|leitungen|platze|berater) (?:sind|im gesprach|besetzt)|(?:mitarbeiter|leitungen)(?: [a-zß]+)? (?:im gesprach|besetzt|belegt)|(?:aufgezeichnet|mitgeschnitten) werden|zwecken aufgezeichnet|sie werden (?:gleich |jetzt )?(?:verbunden|weitergeleitet)|legen sie (?:bitte )?nicht auf|nachste freie',
      // French
      'touche (?:diese|etoile)|menu principal|suivi de la touche|choix (?:n.est pas|invalide)',
      "(?:conseillers|operateurs|lignes|agents|collaborateurs) sont|temps d'attente|un (?:conseiller|operateur) va (?:prendre|repondre)|(?:veuillez|merci de) (?:patienter|rester en ligne)|(?:conversation|appel) (?:peut|pourra|est susceptible d)'? ?etre enregistre",
      // Spanish
      'menu (?:principal|anterior)|tecla (?:almohadilla|numeral|asterisco)|opcion no (?:es )?valida|las siguientes opciones',
      '(?:asesores|agentes|operadores|lineas|representantes)(?: [a-zß]+)? (?:estan|se encuentran|ocupad[oa]s)|su llamada es (?:muy )?importante|(?:llamada|conversacion) (?:puede|podra|sera) (?:ser )?grabada|no cuelgue|tiempo de espera|sera (?:atendido|transferido)',
      // Italian
      'menu principale|tasto (?:cancelletto|asterisco)|scelta non valida|codice cliente',
      '(?:operatori|linee|consulenti) sono|(?:chiamata|conversazione) (?:potrebbe|puo|potra|sara) (?:essere )?registrata|(?:rimanga|resti|attendere|attenda) in (?:attesa|linea) \\| un operatore|un operatore (?:le|vi|ti) rispondera|tempo di attesa|attendere in linea',
      // Dutch
      '(?:gevolgd door|afgesloten met)(?: een)? (?:hekje|sterretje)|hoofdmenu|keuzemenu|geen geldige keuze|toets(?: [a-zß]+){1,3} in',
      '(?:medewerkers|lijnen|collegas) (?:zijn|in gesprek)|wordt (?:u )?(?:zo |direct )?doorverbonden|gesprek (?:kan|wordt|zal) (?:worden )?opgenomen|wachttijd|ogenblik geduld|wachtenden voor u',
      // Portuguese
      'menu (?:principal|anterior)|tecla (?:jogo da velha|cardinal|asterisco)|opcao invalida',
      '(?:atendentes|operadores|assistentes|linhas|colaboradores) (?:estao|encontram-se)|(?:ligacao|chamada) e (?:muito )?importante|(?:ligacao|chamada|conversa) (?:podera|pode|sera|esta sendo) (?:ser )?gravada|tempo de espera|(?:transferir|encaminhar) (?:a )?sua (?:ligacao|chamada)',
    ],
    [
      'thank you for calling|thanks for calling|welcome to|please (?:hold|stay on the line|remain on the line)|for (?:billing|sales|support|service|all other)|to (?:hear this|repeat|return)',
      '(?:herzlich )?willkommen|fur (?:den|die|fragen|storungen)|bitte warten',
      'bienvenue|pour (?:le|la|un|une|consulter|parler)',
      'bienvenid[oa]s?|para (?:ventas|atencion|repetir|hablar|volver)|espere',
      'benvenut[oi]|per (?:il|informazioni|assistenza|parlare)|attendere',
      'welkom|voor (?:vragen|verkoop|klantenservice|overige)',
      'bem-vindo|bem vindo|para (?:vendas|falar|suporte|apoio|ouvir)|aguarde',
    ],
  ),
  'mailbox-full': wordings(
    [
      '(?:storage|memory|message box)(?: [a-zß]+){0,2} full|no (?:more )?(?:space|room) (?:left )?(?:for|in)',
      'kein platz (?:mehr )?fur|plus de place|(?:no hay|sin) (?:mas )?espacio|non c.e (?:piu )?spazio|geen (?:ruimte|plaats) (?:meer )?(?:voor|in)|nao ha (?:mais )?espaco|sem espaco',
      '(?:mail ?box|voice ?mail|inbox)(?: (?:you|is|of|the|that|are|trying|to|reach|this|user|person))* full',
      "(?:cannot|can't|can not|unable to|not able to) (?:accept|record|take|receive) (?:any )?(?:more |new )?(?:voice )?messages",
      '(?:has|have) not (?:yet )?been (?:set ?up|initialized|activated)',
      // German
      '(?:mailbox|sprachbox|anrufbeantworter|speicher)(?: [a-zß]+){0,3} (?:ist )?voll|keine (?:weiteren |neuen )?nachrichten (?:mehr )?(?:auf|entgegen)|nicht eingerichtet',
      // French
      '(?:messagerie|boite vocale|repondeur|boite)(?: [a-zß]+){0,4} (?:pleine?|saturee?)|ne pouvez pas laisser de message|ne peut (?:pas|plus) recevoir de (?:nouveaux )?messages',
      // Spanish
      '(?:buzon|contestador)(?: [a-zß]+){0,9} (?:esta )?lleno|no (?:puede|se pueden|admite) (?:recibir|aceptar|grabar|dejar)? ?(?:mas |nuevos )?mensajes',
      // Italian
      '(?:casella|segreteria)(?: [a-zß]+){0,4} (?:e )?piena|non e possibile lasciare|non puo (?:ricevere|accettare) (?:altri |nuovi )?messaggi',
      // Dutch
      '(?:voice ?mail(?:box)?|mailbox|antwoordapparaat)(?: [a-zß]+){0,4} (?:is )?vol|geen (?:nieuwe )?bericht(?:en)? (?:meer )?(?:achterlaten|inspreken|ontvangen)',
      // Portuguese
      '(?:caixa|correio)(?: [a-zß]+){0,4} (?:esta )?chei[ao]|nao (?:pode|aceita|e possivel) (?:receber|deixar|gravar)? ?(?:novas |mais )?mensage(?:m|ns)',
    ],
    ['try (?:your call )?again later'],
  ),
  fax: wordings(
    [
      'fax (?:machine|line|number|tone|transmission)|(?:send|sending|start)(?: (?:a|your|the))? fax|(?:begin|start) (?:fax )?transmission',
      'fax(?:gerat|anschluss|nummer|leitung)|faxe?(?: [a-zß]+)? (?:senden|ubertragen)',
      'telecopie(?:ur)?|(?:un|votre|de|le) fax',
      '(?:un|numero de|linea de|del) fax|envio del fax',
      '(?:un|al|numero di|del) fax',
      'fax(?:apparaat|nummer|lijn)|(?:uw|een) fax',
      '(?:aparelho|numero|linha)(?: [a-zß]+)? de fax|do fax',
    ],
    ['fax', 'transmission|ubertragung|transmision|trasmissione|transmissao|verzenden|envio'],
  ),
};

/** A menu that says which key leads where. */
export const namesKeys = compilePatterns(namingKeys);

/** What callees are asked to wait for: a transfer, a free agent, a look whether the person is there. */
export const askingToWait = compilePatterns([
  '(?:please )?(?:hold|remain on the line|stay on the line|wait)(?! up)|one moment|connect(?:ing)? you|transfer(?:ring)? (?:you|your)|are (?:currently |all )*(?:busy|assisting)|your call is (?:very )?important',
  'bleiben sie|bitte warten|einen moment|sie werden(?: [a-zß]+)? (?:verbunden|weitergeleitet)|legen sie (?:bitte )?nicht auf|im gesprach',
  "patienter|ne quittez pas|restez en ligne|temps d'attente|sont en ligne",
  'espere|mantengase|no cuelgue|un momento|ocupad[oa]s',
  'attend(?:a|ere)|(?:resti|rimanga) in|un attimo|occupati',
  'aan de lijn|ogenblik|doorverbonden|in gesprek|wachttijd',
  'aguarde|fique na linha|permaneca|um momento|ocupados',
]);

/** Sounds and words that fill a pause and tell nothing about who makes them. */
export const fillers = compilePatterns([
  'uh+|um+|mm+|hm+|mhm|ah+|oh|er+m?|ok|okay|right|well|so|ahm+|yeah|no|like|eh+m?|euh|hein|bon|ben|pues|este|cioe|allora|nou|tja|ha|ne|entao|enfin|also|e',
]);
