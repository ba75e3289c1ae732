//! Memories and files in scripts without spaces, and in other Unicode forms than the question.

use recall_core::{MemoryId, Scope};
use recall_engine::{ItemRequest, Parent};

use super::{add, found, lesson, with_others};
use crate::support::{Sandbox, paths};

#[test]
fn a_memory_is_found_by_a_word_inside_its_sentence() {
    let sandbox = with_others(&[]);
    let engine = sandbox.engine();
    let memories = [
        ("发布之前必须先冻结数据库迁移脚本", "数据库迁移"),
        ("本番環境の切り戻しは夜間のみ許可される", "切り戻し"),
        ("배포를 되돌리려면 관리자 승인이 필요하다", "승인"),
        ("ก่อนปล่อยรุ่นใหม่ต้องสำรองฐานข้อมูล", "สำรองฐานข้อมูล"),
        ("មុនពេលដាក់ឱ្យប្រើត្រូវចម្លងទិន្នន័យ", "ចម្លងទិន្នន័យ"),
        ("Перед выкладкой нужно СОГЛАСОВАНИЕ", "согласование"),
        ("Die Straßenkarte liegt im Tresor", "STRASSENKARTE"),
    ];
    let mut ids: Vec<MemoryId> = Vec::new();
    for (text, _) in memories {
        ids.push(add(&sandbox, &engine, &lesson(text, text)));
    }
    for (id, (text, word)) in ids.iter().zip(memories) {
        assert_eq!(found(&sandbox, &engine, word).first(), Some(id), "{word} in {text}");
    }
}

#[test]
fn a_rare_word_inside_running_text_leads_to_its_file() {
    let sandbox = Sandbox::new();
    let (nouns, verbs) = (["订单", "客户", "仓库", "发票", "权限", "会话"], ["检查", "更新", "删除", "同步"]);
    let sentence = |seed: usize| {
        let word = |place: usize| nouns[(seed * 7 + place * 3) % nouns.len()];
        format!("{}{}{}后{}{}。", word(1), verbs[seed % 4], word(2), verbs[(seed + 1) % 4], word(4))
    };
    let rare = ["雪豹方案", "海葵模式", "山雀令牌"];
    for number in 0..30 {
        let mut text: Vec<String> = (0..5).map(|line| sentence(number * 5 + line)).collect();
        if let Some(rare) = rare.get(number) {
            text[2] = format!("系统必须使用{rare}才能更新订单。");
        }
        sandbox.write(&format!("d{number:02}.md"), &format!("# 说明{number}\n\n{}\n", text.concat()));
    }
    let engine = sandbox.engine();
    for (number, rare) in rare.iter().enumerate() {
        let answer = sandbox.search(&engine, rare);
        assert_eq!(paths(&answer).first(), Some(&format!("d{number:02}.md").as_str()), "{rare}");
        let hit = &answer.hits[0];
        let marked: Vec<&str> = hit.highlights.iter().map(|range| &hit.text[range.clone()]).collect();
        assert!(marked.contains(rare), "the word is shown and marked: {marked:?} in {}", hit.text);
    }
}

#[test]
fn a_file_is_opened_by_its_path_in_any_unicode_form() {
    let sandbox = Sandbox::with(&[("docs/re\u{301}sume\u{301}.md", "# One\n"), ("文書/ｶﾞｲﾄﾞ.md", "# Two\n")]);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for (path, text) in
        [("docs/résumé.md", "# One\n"), ("docs/re\u{301}sumé.md", "# One\n"), ("文書/ガイド.md", "# Two\n")]
    {
        let request = ItemRequest { id: path.to_owned(), parent: Parent::Leave, scope: Scope::Project };
        let item = engine.get(&sandbox.origin(), &request).expect("the same path");
        assert_eq!(item.text, text, "{path}");
    }
}
