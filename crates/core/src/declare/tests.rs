use super::*;

#[test]
fn every_unit_can_be_read_and_kinds_without_units_have_none() {
    let kinds = [
        Kind::Bytes,
        Kind::Time,
        Kind::Rate,
        Kind::CellRate,
        Kind::PartialRate,
        Kind::Room,
        Kind::Packets,
        Kind::MeanPackets,
        Kind::Window,
    ];
    for kind in kinds {
        assert!(kind.units().len() > 1, "{kind:?}");
        for unit in kind.units() {
            let text = format!("3 {unit}");
            assert!(kind.read(&text).is_some(), "{kind:?}: {text}");
        }
    }
    for kind in [Kind::Share, Kind::Factor, Kind::Count, Kind::Flag] {
        assert_eq!(kind.units(), [""; 0]);
        assert!(kind.read("1 B").is_none());
    }
}

/// Kinds, texts of each, and what they are read as.
fn read_as(cases: &[(Kind, &str, Option<Value>)]) {
    for (kind, text, want) in cases {
        assert_eq!(&kind.read(text), want, "{text}");
    }
}

#[test]
fn rates_and_times_are_exact() {
    read_as(&[
        (
            Kind::Rate,
            "155.52 Mb/s",
            Some(Value::Rate(Rate(155_520_000))),
        ),
        (Kind::Rate, "0 Mb/s", None),
        (
            Kind::Rate,
            "365566 cells/s",
            Some(Value::Rate(Rate(154_999_984))),
        ),
        (
            Kind::CellRate,
            "18278.3 cells/s",
            Some(Value::CellRate(CellRate(18278.3))),
        ),
        (
            Kind::CellRate,
            "424 kb/s",
            Some(Value::CellRate(CellRate(1000.0))),
        ),
        (
            Kind::CellRate,
            "0 cells/s",
            Some(Value::CellRate(CellRate(0.0))),
        ),
        (Kind::CellRate, "0.05", None),
        (
            Kind::PartialRate,
            "0.05",
            Some(Value::PartialRate(PartialRate::Share(Share(0.05)))),
        ),
        (
            Kind::PartialRate,
            "848 b/s",
            Some(Value::PartialRate(PartialRate::Cells(CellRate(2.0)))),
        ),
        (Kind::PartialRate, "1.5", None),
        (Kind::Rate, "-3 Mb/s", None),
        (
            Kind::Time,
            "0.3 ms",
            Some(Value::Time(Duration(300_000_000))),
        ),
        (Kind::Time, "0.0000001 ns", None),
        (Kind::Time, "5", None),
        (Kind::Time, ". s", None),
        (Kind::Time, "5 kg", None),
    ]);
}

#[test]
fn windows_buffers_and_shares_are_exact() {
    read_as(&[
        (
            Kind::Window,
            "64 KiB",
            Some(Value::Window(Window::Bytes(65536))),
        ),
        (
            Kind::Window,
            "12 segments",
            Some(Value::Window(Window::Segments(12))),
        ),
        (
            Kind::Room,
            "1200 cells",
            Some(Value::Room(Room::Cells(1200))),
        ),
        (Kind::Room, "0 cells", None),
        (
            Kind::MeanPackets,
            "1.5 packets",
            Some(Value::MeanPackets(MeanPackets(1.5))),
        ),
        (
            Kind::MeanPackets,
            "1 packet",
            Some(Value::MeanPackets(MeanPackets(1.0))),
        ),
        (Kind::MeanPackets, "0.9 packets", None),
        (Kind::MeanPackets, "NaN packets", None),
        (Kind::MeanPackets, "5", None),
        (Kind::Room, "1.5 cells", None),
        (Kind::Share, "1.01", None),
        (Kind::Share, "NaN", None),
        (Kind::Factor, "1.15", Some(Value::Factor(Factor(1.15)))),
        (Kind::Factor, "0.99", None),
        (Kind::Factor, "inf", None),
        (Kind::Bytes, "1.5 KiB", Some(Value::Bytes(Bytes(1536)))),
        (Kind::Bytes, "99999999999 GiB", None),
        (
            Kind::Indices,
            "[40, 43]",
            Some(Value::Indices([40, 43].into())),
        ),
    ]);
}
